import type { JsonObject } from '@gatehouse/protocol/json-object'
import { type SlackErrorCode, slackErrorStatus } from '@gatehouse/protocol/slack'
import { AppError, type ErrorCode } from '../../errors/app-error.ts'
import type { ErrorFormat } from '../../http/error-formats.ts'
import { rateLimitedHeaders } from '../discord/discord-errors.ts'
import { isDiscordBody } from '../other-format.ts'

/** An error with one of Slack's codes. Its message appears only in the delivery log. */
export class SlackError extends AppError {
  readonly slackCode: SlackErrorCode
  /** Follows the code in the response, for who sends a format that no program for Slack sends. */
  readonly hint: string | undefined

  /** `fields` are paths with messages; at least one. */
  constructor(
    slackCode: 'invalid_payload' | 'no_text',
    fields: readonly (readonly [string, string])[],
    hint?: string,
  ) {
    const errors = fields.map(([path, message]) => ({ path, code: slackCode, message }))
    super('validation_failed', errors[0]?.message ?? slackCode, { errors })
    this.slackCode = slackCode
    this.hint = hint
  }
}

export function invalidPayload(path: string, message: string): SlackError {
  return invalidPayloads([[path, message]])
}

export function invalidPayloads(fields: readonly (readonly [path: string, message: string])[]): SlackError {
  return new SlackError('invalid_payload', fields)
}

/** For a payload in the format of another route, the error names the URL of that route (webhooks/other-format). */
export function noText(payload: JsonObject = {}, isGithubEvent = false): SlackError {
  const problem = 'the message has no text, no attachment and no supported block'
  const hint = isGithubEvent
    ? "this body has GitHub's format: replace /slack with /github in the webhook URL"
    : isDiscordBody(payload)
      ? "this body has Discord's format: remove /slack from the webhook URL"
      : undefined
  return new SlackError('no_text', [['text', [problem, hint].filter(Boolean).join('; ')]], hint)
}

const slackCodes: Readonly<Partial<Record<ErrorCode, SlackErrorCode>>> = {
  not_found: 'no_service',
  rate_limited: 'rate_limited',
  body_too_large: 'payload_too_large',
  validation_failed: 'invalid_payload',
  malformed_json: 'invalid_payload',
}

/**
 * Formats an error as Slack's code in plain text, or as the native code if Slack has none (webhooks/slack-response).
 */
export const slackErrorFormat: ErrorFormat = error => {
  const { slackCode, hint } =
    error instanceof SlackError ? error : { slackCode: slackCodes[error.code], hint: undefined }
  return {
    status: slackCode === undefined ? error.status : slackErrorStatus[slackCode],
    body: [slackCode ?? error.code, hint].filter(Boolean).join(': '),
    contentType: 'text/plain; charset=utf-8',
    ...(slackCode === 'rate_limited' ? { headers: rateLimitedHeaders } : {}),
  }
}
