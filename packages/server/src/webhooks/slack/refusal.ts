import { type SlackError, slackErrorStatus } from '@gatehouse/protocol/slack'
import type { ErrorDialect } from '../../http/errors.ts'
import { AppError, type ErrorCode } from '../../kit/app-error.ts'

/** What the Slack route refuses: one of Slack's words on the wire, the reason in our log. */
export class SlackRefusal extends AppError {
  readonly word: SlackError

  constructor(word: 'invalid_payload' | 'no_text', path: string, message: string) {
    super('validation_failed', message, { errors: [{ path, code: word, message }] })
    this.word = word
  }
}

export function invalidPayload(path: string, message: string): SlackRefusal {
  return new SlackRefusal('invalid_payload', path, message)
}

export function noText(): SlackRefusal {
  return new SlackRefusal(
    'no_text',
    'text',
    'there is nothing to show: no text, no attachment, no known block',
  )
}

const words: Readonly<Partial<Record<ErrorCode, SlackError>>> = {
  not_found: 'no_service',
  rate_limited: 'rate_limited',
  body_too_large: 'payload_too_large',
  validation_failed: 'invalid_payload',
  malformed_json: 'invalid_payload',
}

/** Errors of the Slack route: a word as plain text (D37, D47). */
export const slackDialect: ErrorDialect = error => {
  const word = error instanceof SlackRefusal ? error.word : words[error.code]
  return {
    status: word === undefined ? error.status : slackErrorStatus[word],
    body: word ?? error.code,
    contentType: 'text/plain; charset=utf-8',
  }
}
