import { timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { answer, type Route, route } from '../../http/route.ts'
import { notFound } from '../../kit/app-error.ts'
import type { Metrics } from '../metrics.ts'

/** For loopback, or for whoever bears METRICS_TOKEN (D4). For all others it is not there. */
export function metricsRoute(deps: { metrics: Metrics; token: string | undefined }): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the format of Prometheus',
    tag: 'Operation',
    caller: { anyone: true },
    answers: { 200: Type.String() },
    errors: ['not_found'],
    handle: async ({ request }) => {
      if (!mayRead(request.ip, request.headers.authorization, deps.token)) throw notFound()
      return answer(200, await deps.metrics.text(), { 'content-type': deps.metrics.contentType })
    },
  })
}

function mayRead(ip: string, header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return /^(::ffff:)?127\.|^::1$/.test(ip)
  const given = Buffer.from(header ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
