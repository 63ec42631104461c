import { LocalizedError } from '../../i18n/localized-error.ts'
import { type Sql, UniqueViolation } from '../../storage/database.ts'
import * as store from './store.ts'
import { emailKey } from './user.ts'

const keys = { username: 'error.usernameTaken', email: 'error.emailTaken' } as const

/** 409: another account has this username or email address. */
export class FieldTakenError extends LocalizedError {
  readonly field: keyof typeof keys

  constructor(field: keyof typeof keys) {
    super('conflict', keys[field])
    this.field = field
  }
}

/** Turns a violation of a unique index of `users` into a FieldTakenError. */
export async function mapUniqueViolations<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    if (error.constraint === 'users_email_key_key') throw new FieldTakenError('email')
    if (error.constraint === 'users_username_key') throw new FieldTakenError('username')
    throw error
  }
}

/**
 * Throws FieldTakenError before the expensive password hash. A concurrent request can take the name after this check: the
 * unique indexes decide.
 */
export async function rejectTakenFields(
  sql: Sql,
  { username, email = '' }: { username: string; email?: string | undefined },
  exceptId = '',
): Promise<void> {
  const taken = await store.findTakenFields(sql, { username, emailKey: emailKey(email), exceptId })
  if (taken.username) throw new FieldTakenError('username')
  if (taken.email) throw new FieldTakenError('email')
}

const RESERVED_PREFIX = 'deleted.'

/** Throws FieldTakenError for a username that is reserved for deleted bots. */
export function rejectReservedUsername(username: string): void {
  if (username.startsWith(RESERVED_PREFIX)) throw new FieldTakenError('username')
}

export function usernameOfDeleted(id: string): string {
  return RESERVED_PREFIX + id
}
