import { Password, RegisterBody } from '@gatehouse/protocol/users'
import { object, type Schema } from '@gatehouse/protocol/wire'
import type { InferOutput } from 'valibot'
import { notFound } from '../../errors/app-error.ts'
import { compileValidator } from '../../http/validation.ts'
import type { Sql } from '../../storage/database.ts'
import { rejectCommonPassword } from '../passwords/common-passwords.ts'
import type { AccountDeps } from './account-deps.ts'
import { findCredentials } from './login.ts'
import { newUser } from './register.ts'
import { mapUniqueViolations, rejectTakenFields } from './unique-fields.ts'
import { emailKey } from './user.ts'
import * as store from './user-store.ts'

// The account commands of the command line.

/**
 * Creates an account regardless of REGISTRATION, with a verified email address. Throws `validation_failed` and
 * `conflict` like a registration.
 */
export async function createUserByOperator(
  { db, clock, ids, passwords }: Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'passwords'>,
  body: Pick<RegisterBody, 'username' | 'email' | 'password' | 'displayName'>,
): Promise<store.UserRecord> {
  const cleaned = validate(RegisterBody, body)
  const user = { ...newUser(cleaned, { id: ids(), createdAt: clock() }), emailVerified: true }
  await rejectCommonPassword(cleaned.password, cleaned)
  await rejectTakenFields(db, clock, cleaned)
  const passwordHash = await passwords.hash(cleaned.password)
  await mapUniqueViolations(() =>
    store.insertUser(db, user, { emailKey: emailKey(cleaned.email), passwordHash }),
  )
  return user
}

/** Revokes every session and access token of the user. Throws `not_found`, or `validation_failed` at `password`. */
export async function resetPasswordByOperator(
  {
    db,
    passwords,
    sessions,
    domainEvents,
    securityLog,
  }: Pick<AccountDeps, 'db' | 'passwords' | 'sessions' | 'domainEvents' | 'securityLog'>,
  { login, password }: { login: string; password: string },
): Promise<store.UserRecord> {
  validate(object({ password: Password }), { password })
  const user = await requireLogin(db, login)
  await rejectCommonPassword(password, user)
  const passwordHash = await passwords.hash(password)
  await db.transaction(async tx => {
    await store.setPasswordHash(tx, user.id, passwordHash)
    await store.deleteMailTokensFor(tx, user.id, 'reset', 'change')
    await sessions.revokeSessions(tx, user.id)
    await domainEvents.publish(tx, 'PasswordChanged', { userId: user.id })
    await securityLog.record(tx, { userId: user.id, kind: 'PASSWORD_RESET' })
  })
  return user
}

/** Throws `not_found`. `login` is a username or an email address. */
export async function requireLogin(sql: Sql, login: string): Promise<store.UserRecord> {
  const credentials = await findCredentials(sql, login)
  if (!credentials) throw notFound()
  return credentials.user
}

/** Throws 400 for an invalid value. Returns the cleaned one. */
function validate<S extends Schema>(schema: S, value: unknown): InferOutput<S> {
  const result = compileValidator({ schema, httpPart: 'body' })(value)
  if (result.error) throw result.error
  return result.value as InferOutput<S>
}
