// Owns user and bot accounts: names, email addresses, passwords, avatars, registration, login and the mails about them,
// and the sign-in pages.
// Does not own: sessions (sessions/), second factors (second-factor/), access tokens (oauth/) and invites (invites/).

export { type CostParameters, createPasswords, type Passwords } from '../passwords/password-hash.ts'
export { createUserByOperator, resetPasswordByOperator, resetSecondFactorByOperator } from './operator.ts'
export type { RegistrationMode } from './register.ts'
export { selfView, userView } from './user.ts'
export { findUser, findUsers, lockUserRow, type UserRecord } from './user-store.ts'
export { createUsers, sweepUsers, type Users, type UsersDeps } from './users.ts'
