// Owns the security log: what happened to the sign-in of a user, for that user and for the log of the service.
// Does not own: the acts, which record themselves, and what moderators and administrators do (audit/).
export { createSecurityLog, type SecurityLog } from './security-log.ts'
