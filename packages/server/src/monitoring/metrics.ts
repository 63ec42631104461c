import type { InteractionType } from '@gatehouse/protocol/messages'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Traffic } from '../storage/database.ts'

/**
 * In the units of Prometheus: seconds and totals. The label `route` is the declared path, never the URL of a request.
 */
export interface Metrics {
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void
  /** Counts open gateway connections. */
  gatewaySessions(kind: 'person' | 'bot', change: 1 | -1): void
  /** `read` is called for each response. */
  gatewayQueuedBytes(read: () => number): void
  /** `traffic` is read for each response. */
  postgres(traffic: Readonly<Traffic>): void
  /** Counts completed interactions. Autocomplete is not counted. */
  interaction(labels: {
    type: InteractionType
    outcome: 'answered' | 'deferred' | 'timed_out' | 'failed'
  }): void
  contentType: string
  text(): Promise<string>
}

// Once per process: each call observes the garbage collector and the event loop until the process ends.
const processRegistry = new Registry()
collectDefaultMetrics({ register: processRegistry })

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'gatehouse_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3],
    registers: [registry],
  })
  const sessions = new Gauge({
    name: 'gatehouse_gateway_sessions',
    help: 'Open gateway connections',
    labelNames: ['kind'],
    registers: [registry],
  })
  const interactions = new Counter({
    name: 'gatehouse_interactions_total',
    help: 'Completed interactions by type and outcome',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  })
  return {
    observeRequest({ method, route, status, seconds }) {
      requests.observe({ method, route, status }, seconds)
    },
    gatewaySessions: (kind, change) => sessions.inc({ kind }, change),
    gatewayQueuedBytes(read) {
      new Gauge({
        name: 'gatehouse_gateway_queued_bytes',
        help: 'Bytes that are queued for gateway clients, and for clients that read HTTP responses slowly',
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
    postgres(traffic) {
      const totals = [
        ['round_trips', 'roundTrips', 'Times that the node waited for PostgreSQL'],
        ['statements', 'statements', 'Statements sent to PostgreSQL, with BEGIN and COMMIT'],
        ['transactions', 'transactions', 'Transactions on PostgreSQL, with single statements'],
      ] as const
      for (const [name, total, help] of totals) {
        new Counter({
          name: `gatehouse_postgres_${name}_total`,
          help,
          registers: [registry],
          collect() {
            this.reset()
            this.inc(traffic[total])
          },
        })
      }
    },
    interaction: labels => interactions.inc(labels),
    contentType: registry.contentType,
    text: () => Registry.merge([processRegistry, registry]).metrics(),
  }
}
