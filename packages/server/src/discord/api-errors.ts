import { auditReasonHeader } from '@gatehouse/protocol/audit-log'
import type { FieldError } from '@gatehouse/protocol/field-errors'
import { type CapName, caps, maxCommands, maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import { AppError, type ErrorCode } from '../errors/app-error.ts'
import { MisplacedSecretError } from '../http/authenticate.ts'
import type { ErrorFormat, ErrorResponse } from '../http/error-formats.ts'
import { nestErrors, rateLimitedHeaders, rateLimitHeaders } from '../webhooks/index.ts'

/** What a request did not find: the error code and message of Discord's API (discord/errors). */
const unknown = {
  path: [0, '404: Not Found'],
  channel: [10003, 'Unknown Channel'],
  guild: [10004, 'Unknown Guild'],
  member: [10007, 'Unknown Member'],
  message: [10008, 'Unknown Message'],
  role: [10011, 'Unknown Role'],
  user: [10013, 'Unknown User'],
  webhook: [10015, 'Unknown Webhook'],
  ban: [10026, 'Unknown Ban'],
  interaction: [10062, 'Unknown interaction'],
  command: [10063, 'Unknown application command'],
  application: [10002, 'Unknown Application'],
  invite: [10006, 'Unknown Invite'],
  overwrite: [10009, 'Unknown Overwrite'],
  commandPermissions: [10066, 'Unknown application command permissions'],
} as const satisfies Record<string, readonly [number, string]>

export type Unknown = keyof typeof unknown

/** An error whose number and message are not those of its code. */
export class NumberedError extends AppError {
  readonly number: number

  constructor(code: ErrorCode, number: number, message: string) {
    super(code, message)
    this.number = number
  }
}

export function unknownError(what: Unknown): NumberedError {
  const [number, message] = unknown[what]
  return new NumberedError('not_found', number, message)
}

/** For a path that no route has. `suggestion` is the path of a route. */
export function unknownPath(suggestion: string | undefined): NumberedError {
  const [number, message] = unknown.path
  const hint = suggestion === undefined ? '' : `. Use ${suggestion}.`
  return new NumberedError('not_found', number, `${message}${hint}`)
}

/** The commands of a guild that the bot is no member of, or that does not exist (discord/commands). */
export function missingAccess(): NumberedError {
  return new NumberedError('missing_permission', 50001, 'Missing Access')
}

/** For a function of Discord's API that does not exist here (discord/unsupported). */
export function notSupported(what: string): NumberedError {
  return new NumberedError('not_found', 0, `${what} not supported by this service.`)
}

const missingPermissions = 50013

const byCode: Partial<Record<ErrorCode, readonly [number, string]>> = {
  unauthenticated: [0, '401: Unauthorized'],
  missing_permission: [missingPermissions, 'Missing Permissions'],
  timed_out: [missingPermissions, 'Missing Permissions'],
  cannot_message_user: [50007, 'Cannot send messages to this user'],
  interaction_already_answered: [40060, 'Interaction has already been acknowledged.'],
  interaction_timed_out: [10062, 'Unknown interaction'],
  interaction_token_expired: [50027, 'Invalid Webhook Token'],
  interaction_not_answered: [10015, 'Unknown Webhook'],
  body_too_large: [40005, 'Request entity too large'],
  malformed_json: [50109, 'The request body contains invalid JSON.'],
  method_not_allowed: [0, '405: Method Not Allowed'],
  banned: [40007, 'The user is banned from this guild.'],
  email_not_verified: [40002, 'You need to verify your account in order to perform this action.'],
  command_limit: [30032, `Maximum number of application commands reached (${maxCommands})`],
  webhook_limit: [30007, `Maximum number of webhooks reached (${maxWebhooksPerChannel})`],
}

const byCap: Partial<Record<CapName, readonly [number, string]>> = {
  servers: [30001, `Maximum number of guilds reached (${caps.servers})`],
  roles: [30005, `Maximum number of guild roles reached (${caps.roles})`],
  channels: [30013, `Maximum number of guild channels reached (${caps.channels})`],
  invites: [30016, `Maximum number of invites reached (${caps.invites})`],
  overwrites: [30060, `Maximum number of channel permission overwrites reached (${caps.overwrites})`],
}

/**
 * Formats errors as Discord's API: `{"code":10003,"message":"Unknown Channel"}`. `missing` is what `not_found` means on
 * the route. The message of an error that Discord's API does not have is our own, with the code 0.
 */
export function apiErrorFormat(missing: Unknown): ErrorFormat {
  return error => {
    if (error.code === 'rate_limited') return toRateLimited(error)
    const [code, message] = codeOf(error, missing) ?? [0, error.message]
    const errors = code === invalidForm ? toNestedErrors(error.errors ?? []) : undefined
    const body = { code, message, ...(errors === undefined ? {} : { errors }) }
    return { status: statusOf(error), body }
  }
}

/**
 * `retry_after` in whole seconds, as in the header: of the many requests of a bot that wait for fractions of a second,
 * most would come too early again. Only the limit of all requests is global (discord/rate-limit).
 */
function toRateLimited({ retryAfter = 1, rate }: AppError): ErrorResponse {
  const seconds = Math.max(1, Math.ceil(retryAfter))
  const global = rate?.name === 'requests'
  const body = { message: 'You are being rate limited.', retry_after: seconds, global }
  const scope = { ...rateLimitedHeaders, 'x-ratelimit-scope': global ? 'global' : 'user' }
  if (global) return { status: 429, body, headers: { ...scope, 'x-ratelimit-global': 'true' } }
  if (rate === undefined) return { status: 429, body, headers: scope }
  // No client that waits for the reset comes earlier than one that waits as `retry_after` says.
  const result = { remaining: 0, resetAfterMs: Math.max(rate.resetAfterMs, seconds * 1000) }
  return { status: 429, body, headers: { ...scope, ...rateLimitHeaders(rate, result, rate.name, rate.at) } }
}

function statusOf({ code, status }: AppError): number {
  // Discord's API responds 404 when an interaction has timed out, 401 to an expired token, and 400 to the second
  // response.
  if (code === 'interaction_token_expired') return 401
  if (code === 'interaction_timed_out' || code === 'interaction_not_answered') return 404
  return code === 'interaction_already_answered' || code === 'limit_reached' ? 400 : status
}

function codeOf(error: AppError, missing: Unknown): readonly [number, string] | undefined {
  if (error instanceof NumberedError) return [error.number, error.message]
  if (error.code === 'not_found') return unknown[missing]
  if (isEmptyMessage(error)) return [50006, 'Cannot send an empty message']
  if (error.code === 'validation_failed') return [invalidForm, 'Invalid Form Body']
  if (error.limit !== undefined && byCap[error.limit]) return byCap[error.limit]
  const known = byCode[error.code]
  if (known === undefined) return undefined
  const [number, message] = known
  if (error instanceof MisplacedSecretError) return [number, `${message}. ${error.hint}`]
  // Which permission is missing, or which role is too high.
  return number === missingPermissions ? [number, `${message}. ${error.message}`] : known
}

const invalidForm = 50035

/** `checkNotEmpty` of the protocol. */
function isEmptyMessage({ errors = [] }: AppError): boolean {
  return errors.length === 1 && errors[0]?.code === 'required' && /(^|\.)content$/.test(errors[0].path)
}

function toNestedErrors(errors: readonly FieldError[]): unknown {
  return nestErrors(
    errors.map(({ path, ...rest }) => ({
      ...rest,
      path:
        path === ''
          ? []
          : path
              .split(/[.[\]]+/)
              .filter(Boolean)
              .map(toDiscordName),
    })),
  )
}

/** The members that have another name in Discord's API. */
const otherNames: Readonly<Record<string, string>> = {
  slowMode: 'rate_limit_per_user',
  timedOutUntil: 'communication_disabled_until',
  expiresIn: 'max_age',
  [auditReasonHeader]: auditReasonHeader,
}

/** The names of Discord's API are ours in snake case. */
function toDiscordName(name: string): string {
  return otherNames[name] ?? name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
