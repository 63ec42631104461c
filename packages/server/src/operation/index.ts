// Owns the endpoints for operators and developers: health, readiness, metrics, the API reference.
// Does not own: the events that the metrics count; the other modules report them.
export { createMetrics, type Metrics } from './metrics.ts'
