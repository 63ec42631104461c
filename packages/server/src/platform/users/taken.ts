import { AppError } from '../../kit/app-error.ts'
import { UniqueViolation } from '../../storage/database.ts'

const words = {
  username: 'This username is taken.',
  email: 'There is an account with this address already.',
} as const

/** 409: somebody else has it. */
export class Taken extends AppError {
  readonly field: keyof typeof words

  constructor(field: keyof typeof words) {
    super('conflict', words[field])
    this.field = field
  }
}

/** Runs `work`; where a unique index of users stands against it, the caller learns which name is taken. */
export async function orTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UniqueViolation && error.constraint === 'users_email_key_key')
      throw new Taken('email')
    if (error instanceof UniqueViolation && error.constraint === 'users_username_key')
      throw new Taken('username')
    throw error
  }
}

const RESERVED = 'deleted.'

/** Names of this form stand for bots that were deleted. Throws Taken. */
export function refuseReserved(username: string): void {
  if (username.startsWith(RESERVED)) throw new Taken('username')
}

export function nameOfDeleted(id: string): string {
  return RESERVED + id
}
