// Owns what whoever runs the service looks at: health, readiness, metrics, the reference of the API.
// Does not own: the events themselves that the metrics count; those who cause them report them.
export { createMetrics, type Metrics } from './metrics.ts'
