import { notFound } from '../errors/app-error.ts'
import { PlainText } from '../http/media.ts'
import { type Route, respond, route } from '../http/route.ts'
import { constantTimeEqual } from '../kit/secret.ts'
import type { Metrics } from './metrics.ts'

/**
 * Requires METRICS_TOKEN as bearer token, or a request from loopback if the variable is not set; otherwise 404
 * (community/operation).
 */
export function metricsRoute(deps: { metrics: Metrics; token: string | undefined }): Route {
  return route('getMetrics', {
    summary: 'Returns the metrics in the Prometheus text format.',
    tag: 'Operation',
    caller: { anonymous: true },
    documentedAuthentication: 'metrics',
    responses: { 200: PlainText },
    errors: ['not_found'],
    handle: async ({ request }) => {
      const { ip, headers } = request
      // A proxy on the same machine also connects from loopback, so forwarded requests do not count as local.
      const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
      const local = !forwarded && /^(::ffff:)?127\.|^::1$/.test(ip)
      const allowed =
        deps.token === undefined
          ? local
          : constantTimeEqual(headers.authorization ?? '', `Bearer ${deps.token}`)
      if (!allowed) throw notFound()
      return respond(200, await deps.metrics.text(), { 'content-type': deps.metrics.contentType })
    },
  })
}
