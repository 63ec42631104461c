// Owns user and bot accounts: names, email addresses, avatars, registration, login and the mails about them.
// Does not own: sessions, passwords, second factors and the sign-in pages (the folders beside this one), access tokens
// (oauth/) and invites (community/invites/).

export { type CostParameters, createPasswords, type Passwords } from '../passwords/password-hash.ts'
export { createUserByOperator, requireLogin, resetPasswordByOperator } from './operator.ts'
export { selfView, type UserProfile, userView } from './user.ts'
export { findUser, findUsers, hasUsers, lockUserRow, type UserRecord } from './user-store.ts'
export { createUsers, sweepUsers, type Users, type UsersDeps } from './users.ts'
