import { timingSafeEqual } from 'node:crypto'
import { Type } from '@gatehouse/protocol/type'
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
      const { ip, headers } = request
      // A proxy on this machine comes from loopback too, whoever is behind it.
      const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
      const local = !forwarded && /^(::ffff:)?127\.|^::1$/.test(ip)
      const allowed = deps.token === undefined ? local : bears(headers.authorization, deps.token)
      if (!allowed) throw notFound()
      return answer(200, await deps.metrics.text(), { 'content-type': deps.metrics.contentType })
    },
  })
}

function bears(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
