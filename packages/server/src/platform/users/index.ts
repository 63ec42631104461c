// Owns people and the accounts of bots: names, addresses, passwords, pictures, how one registers and signs in, the mails
// that go with it, and the pages of the sign-in.
// Does not own: the sessions that a sign-in begins (sessions/), what is asked for beside the password (second-factor/),
// tokens of applications (oauth/), invites (invites/).
export { createUserByOperator, resetPasswordByOperator, resetSecondFactorByOperator } from './operator.ts'
export { createPasswords, type Passwords } from './password.ts'
export type { RegistrationMode } from './registration.ts'
export { findUser, findUsers, holdUser } from './store.ts'
export { sweepPeople } from './sweep.ts'
export { selfView, type UserRecord, userView } from './user.ts'
export { createUsers, type Users } from './users.ts'
