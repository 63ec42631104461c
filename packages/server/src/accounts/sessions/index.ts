// Owns the sign-in sessions of users: creation, authentication by cookie, expiry and revocation, and the routes to list
// and revoke them.
// Does not own: passwords (passwords/), and the connections that close with a session (gateway/).
export {
  type CurrentSession,
  createSessions,
  currentSessionOf,
  type RenewedSecret,
  type SessionRecord,
  type Sessions,
  sweepSessions,
} from './sessions.ts'
