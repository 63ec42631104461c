// Owns the endpoints for operators: health, readiness, metrics, the version, and what `gatehouse doctor` asks.
// Does not own: the events that the metrics count; the other modules report them.

export { createDoctorToken, doctorHeader } from './doctor-token.ts'
export { createMetrics, type Metrics } from './metrics.ts'
