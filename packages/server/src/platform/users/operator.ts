import { Type } from '@gatehouse/protocol/type'
import { Password, RegisterBody } from '@gatehouse/protocol/users'
import { compileValidator } from '../../http/validation.ts'
import { notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { SecondFactor } from '../second-factor/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Passwords } from './password.ts'
import { newUser } from './registration.ts'
import { credentialsOf } from './sign-in.ts'
import * as store from './store.ts'
import { orTaken } from './taken.ts'
import { emailKey, type UserRecord } from './user.ts'

/**
 * An account made at the command line, whatever REGISTRATION says; its address counts as confirmed. Throws
 * `validation_failed` and `conflict` as a registration does.
 */
export async function createUserByOperator(
  { db, clock, ids, passwords }: { db: Database; clock: Clock; ids: () => string; passwords: Passwords },
  body: Pick<RegisterBody, 'username' | 'email' | 'password' | 'displayName'>,
): Promise<UserRecord> {
  const given = structuredClone(body)
  refuseInvalid(RegisterBody, given)
  const user = { ...newUser(given, { id: ids(), createdAt: clock() }), emailVerified: true }
  const passwordHash = await passwords.hash(given.password)
  await orTaken(() => store.insertUser(db, user, { emailKey: emailKey(given.email), passwordHash }))
  return user
}

interface ResetDeps {
  db: Database
  passwords: Passwords
  sessions: Pick<Sessions, 'endSessions'>
  onPasswordChanged: (tx: Transaction, userId: string) => Promise<void>
}

/** Ends every session and token of the person. Throws `not_found`, or `validation_failed` at `password`. */
export async function resetPasswordByOperator(
  { db, passwords, sessions, onPasswordChanged }: ResetDeps,
  { login, password }: { login: string; password: string },
): Promise<UserRecord> {
  refuseInvalid(Type.Object({ password: Password }), { password })
  const credentials = await credentialsOf(db, login)
  if (!credentials) throw notFound()
  const { user } = credentials
  const passwordHash = await passwords.hash(password)
  await db.transaction(async tx => {
    await store.setPasswordHash(tx, user.id, passwordHash)
    await store.deleteMailTokensFor(tx, user.id, 'reset')
    await sessions.endSessions(tx, user.id)
    await onPasswordChanged(tx, user.id)
  })
  return user
}

/** For a person who has lost what they sign in with. The password is asked for as before. Throws `not_found`. */
export async function resetSecondFactorByOperator(
  { db, secondFactor }: { db: Database; secondFactor: Pick<SecondFactor, 'removeAll'> },
  { login }: { login: string },
): Promise<UserRecord> {
  const credentials = await credentialsOf(db, login)
  if (!credentials) throw notFound()
  await secondFactor.removeAll(credentials.user.id)
  return credentials.user
}

function refuseInvalid(schema: unknown, value: unknown): void {
  const verdict = compileValidator({ schema, httpPart: 'body' })(value)
  if (typeof verdict === 'object') throw verdict.error
}
