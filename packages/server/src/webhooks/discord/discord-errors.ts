import { DiscordErrorCode, discordErrorStatus } from '@gatehouse/protocol/errors'
import { formatPath, type Path, type Violation } from '@gatehouse/protocol/field-errors'
import {
  DiscordError,
  type DiscordErrors,
  type DiscordFieldErrors,
  DiscordRateLimit,
} from '@gatehouse/protocol/webhooks'
import { AppError, type ErrorCode, type ExceededRate } from '../../errors/app-error.ts'
import type { ErrorFormat } from '../../http/error-formats.ts'

/** An error with a code of Discord's API (webhooks/error-codes). */
export class DiscordApiError extends AppError {
  readonly numericCode: DiscordErrorCode
  /** `errors` of the response, nested by field. */
  readonly nestedErrors: DiscordErrors | DiscordFieldErrors | undefined

  constructor(
    code: 'not_found' | 'validation_failed',
    numericCode: DiscordErrorCode,
    message: string,
    violations: readonly Violation<string>[] = [],
    reason?: string,
  ) {
    super(code, message, {
      ...(reason === undefined ? {} : { reason }),
      errors: violations.map(violation => ({
        path: formatPath(violation.path),
        code: toDiscordCode(violation),
        message: toDiscordErrorText(violation),
      })),
    })
    this.numericCode = numericCode
    this.nestedErrors = violations.length === 0 ? undefined : nestErrors(violations)
  }
}

/** The same for an unknown id and for a wrong token (webhooks/unknown-webhook). `reason` is only logged. */
export function unknownWebhook(reason?: string): DiscordApiError {
  return new DiscordApiError('not_found', DiscordErrorCode.unknownWebhook, 'Unknown Webhook', [], reason)
}

export function unknownMessage(): DiscordApiError {
  return new DiscordApiError('not_found', DiscordErrorCode.unknownMessage, 'Unknown Message')
}

/** webhooks/api-versions */
export function unknownApiVersion(known: readonly string[]): DiscordApiError {
  const names = known.map(name => `v${name}`).join(', ')
  const message = `Invalid API version. The path has a version from ${names}, or none.`
  return new DiscordApiError('validation_failed', DiscordErrorCode.invalidApiVersion, message)
}

/** `hint` says what the body has instead. */
export function emptyMessage(hint?: string): DiscordApiError {
  const message = 'Cannot send an empty message'
  return new DiscordApiError(
    'validation_failed',
    DiscordErrorCode.emptyMessage,
    hint === undefined ? message : `${message}. ${hint}`,
  )
}

/** For a body of another route of the webhook. `path` is what its URL has in addition. */
export function bodyOfOtherRoute(format: string, path: string): DiscordApiError {
  return emptyMessage(
    `This body has the ${format} format: add ${path} to the webhook URL. This URL accepts "content" and "embeds".`,
  )
}

/** For JSON with the type of a form, as curl sends it without a header (webhooks/content-type). */
export function jsonAsForm(): DiscordApiError {
  return invalidForm('content_type', [], 'The body is JSON: send the header Content-Type: application/json.')
}

/** 50035 whose message names the reason, and not only its field error. */
function invalidForm(code: string, path: Path, message: string): DiscordApiError {
  return new DiscordApiError('validation_failed', DiscordErrorCode.invalidFormBody, message, [
    { path, code, message },
  ])
}

export function invalidFormBody(violations: readonly Violation<string>[]): DiscordApiError {
  return new DiscordApiError(
    'validation_failed',
    DiscordErrorCode.invalidFormBody,
    'Invalid Form Body',
    violations,
  )
}

export function invalidField(path: Path, code: string, message: string): DiscordApiError {
  return invalidFormBody([{ path, code, message }])
}

/** webhooks/files-and-unknown-keys */
export function filesNotAccepted(): DiscordApiError {
  return invalidForm(
    'files',
    ['files'],
    'Files are not accepted here. Send text and embeds, and link to the file instead.',
  )
}

/** `rate` is for Discord's API of bots: the routes of webhooks set the headers of theirs. */
export function rateLimited(retryAfterMs: number, rate?: ExceededRate): AppError {
  const details = { retryAfter: retryAfterMs / 1000, ...(rate && { rate }) }
  return new AppError('rate_limited', 'You are being rate limited.', details)
}

/**
 * Added to every 429 of the webhook routes. discord.py and the Python library discord-webhook retry only if the
 * response has `Via`. Without it they assume that Discord's network has banned the client.
 */
export const rateLimitedHeaders = { via: '1.1 gatehouse' } as const

const discordCodeByErrorCode: Readonly<Partial<Record<ErrorCode, DiscordErrorCode>>> = {
  not_found: DiscordErrorCode.unknownWebhook,
  body_too_large: DiscordErrorCode.tooLarge,
  malformed_json: DiscordErrorCode.malformedJson,
  validation_failed: DiscordErrorCode.invalidFormBody,
}

/**
 * Formats errors as Discord's API: `{"code":50035,"message":"…","errors":{…}}`, 429 without a code
 * (webhooks/rate-limit).
 */
export const discordErrorFormat: ErrorFormat = error => {
  if (error.code === 'rate_limited') {
    const body: DiscordRateLimit = {
      message: 'You are being rate limited.',
      retry_after: error.retryAfter ?? 1,
      global: false,
    }
    return { status: 429, body, headers: rateLimitedHeaders, schema: DiscordRateLimit }
  }
  const discordError = toDiscordApiError(error)
  const code = discordError?.numericCode ?? discordCodeByErrorCode[error.code] ?? 0
  const body: DiscordError = { code, message: discordError?.message ?? error.message }
  if (discordError?.nestedErrors !== undefined) body.errors = discordError.nestedErrors
  return { status: code === 0 ? error.status : discordErrorStatus[code], body, schema: DiscordError }
}

/**
 * Gives field errors of `http/`, for example of a malformed multipart body, the code of Discord. Undefined if the error
 * has none.
 */
function toDiscordApiError(error: AppError): DiscordApiError | undefined {
  if (error instanceof DiscordApiError) return error
  if (error.code !== 'validation_failed' || error.errors === undefined) return undefined
  return invalidFormBody(
    error.errors.map(({ path, code, message }) => ({
      path: path === '' ? [] : path.split('.'),
      code,
      message,
    })),
  )
}

interface ErrorNode {
  members: Map<string, ErrorNode>
  errors: DiscordFieldErrors['_errors']
}

function createErrorNode(): ErrorNode {
  return { members: new Map(), errors: [] }
}

export function nestErrors(violations: readonly Violation<string>[]): DiscordErrors | DiscordFieldErrors {
  const root = createErrorNode()
  for (const violation of violations) {
    let node = root
    for (const step of violation.path) {
      let next = node.members.get(String(step))
      if (next === undefined) {
        next = createErrorNode()
        node.members.set(String(step), next)
      }
      node = next
    }
    node.errors.push({ code: toDiscordCode(violation), message: toDiscordErrorText(violation) })
  }
  return toJson(root)
}

/** If both a list and one of its items have errors, the list has `_errors` and the index of the item. */
function toJson(node: ErrorNode): DiscordErrors | DiscordFieldErrors {
  const members = Object.fromEntries([...node.members].map(([name, member]) => [name, toJson(member)]))
  return node.errors.length === 0 ? members : { _errors: node.errors, ...members }
}

/**
 * The codes of field errors in Discord's format, by Gatehouse's own codes. Where Discord has none, the code is ours.
 */
const discordFieldCodes: Readonly<Record<string, string>> = {
  too_long: 'BASE_TYPE_MAX_LENGTH',
  too_many: 'BASE_TYPE_MAX_LENGTH',
  too_short: 'BASE_TYPE_BAD_LENGTH',
  required: 'BASE_TYPE_REQUIRED',
  empty: 'BASE_TYPE_REQUIRED',
  total_too_long: 'MAX_EMBED_SIZE_EXCEEDED',
  invalid_type: 'BASE_TYPE_CONVERT',
  invalid_text: 'BASE_TYPE_BAD_TEXT',
  invalid_url: 'URL_TYPE_INVALID_URL',
  invalid_timestamp: 'DATE_TIME_TYPE_PARSE',
  invalid_choice: 'BASE_TYPE_CHOICES',
  invalid_format: 'NUMBER_TYPE_COERCE',
  out_of_range: 'NUMBER_TYPE_RANGE',
  conflict: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  files: 'FILES_NOT_ACCEPTED',
  content_type: 'CONTENT_TYPE_INVALID',
  multipart: 'MULTIPART_INVALID',
}

function toDiscordCode({ code, scheme }: Violation<string>): string {
  if (scheme !== undefined) return 'URL_TYPE_INVALID_SCHEME'
  return discordFieldCodes[code] ?? 'BASE_TYPE_INVALID'
}

/** The wording of Discord's API if it has the error, else a sentence from `message`. */
function toDiscordErrorText({ code, message, max, scheme }: Violation<string>): string {
  if (scheme !== undefined) {
    return `Scheme "${scheme.slice(0, 32)}" is not supported. Scheme must be one of ('http', 'https').`
  }
  if (max !== undefined && (code === 'too_long' || code === 'too_many')) {
    return `Must be ${max} or fewer in length.`
  }
  if (code === 'total_too_long') return `Embed size exceeds maximum size of ${max}`
  if (code === 'required') return 'This field is required'
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
