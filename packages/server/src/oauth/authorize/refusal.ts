import type { OAuthErrorCode } from '@gatehouse/protocol/errors'
import { AppError } from '../../kit/app-error.ts'

/** An error that goes back to the application by redirect (RFC 6749 §4.1.2.1). */
export class Refusal extends Error {
  readonly error: OAuthErrorCode

  constructor(error: OAuthErrorCode, description: string) {
    super(description)
    this.name = 'Refusal'
    this.error = error
  }
}

/** An error that never redirects: it gets a page (D11). */
export function dead(message: string): AppError {
  return new AppError('validation_failed', message)
}
