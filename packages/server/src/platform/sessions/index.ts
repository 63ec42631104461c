// Owns the sessions of people in browsers: starting, finding and ending them, and the cookies they are known by.
// Does not own: whether a password is right (users/), the connections that end with a session (gateway/).
export { browserCookie } from './cookie.ts'
export {
  createSessions,
  type Seen,
  type SessionRecord,
  type Sessions,
  sweepSessions,
} from './sessions.ts'
