import type { FieldError } from '@gatehouse/protocol/field-errors'
import type { CapName } from '@gatehouse/protocol/limits'
import type { AppError, ErrorCode } from '../errors/app-error.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import { DiscordApiError, discordErrorFormat, nestErrors } from '../webhooks/index.ts'

/** What a request did not find: the error code and message of Discord's API (discord/errors). */
export const unknown = {
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
} as const satisfies Record<string, readonly [number, string]>

export type Unknown = keyof typeof unknown

const byCode: Partial<Record<ErrorCode, readonly [number, string]>> = {
  unauthenticated: [0, '401: Unauthorized'],
  missing_permission: [50013, 'Missing Permissions'],
  timed_out: [50013, 'Missing Permissions'],
  cannot_message_user: [50007, 'Cannot send messages to this user'],
  interaction_already_answered: [40060, 'Interaction has already been acknowledged.'],
  interaction_timed_out: [10062, 'Unknown interaction'],
  interaction_token_expired: [50027, 'Invalid Webhook Token'],
  interaction_not_answered: [10015, 'Unknown Webhook'],
  body_too_large: [40005, 'Request entity too large'],
  malformed_json: [50109, 'The request body contains invalid JSON.'],
}

const byCap: Partial<Record<CapName, readonly [number, string]>> = {}

/**
 * Formats errors as Discord's API: `{"code":10003,"message":"Unknown Channel"}`. `missing` is what `not_found` means on
 * the route. The message of an error that Discord's API does not have is our own, with the code 0.
 */
export function apiErrorFormat(missing: Unknown): ErrorFormat {
  return (error, requestId, request) => {
    if (error.code === 'rate_limited') return discordErrorFormat(error, requestId, request)
    const [code, message] = codeOf(error, missing) ?? [0, error.message]
    const errors = error.code === 'validation_failed' ? toNestedErrors(error.errors ?? []) : undefined
    const body = { code, message, ...(errors === undefined ? {} : { errors }) }
    return { status: statusOf(error), body }
  }
}

function statusOf({ code, status }: AppError): number {
  // Discord's API responds 404 when an interaction has timed out, 401 to an expired token, and 400 to the second
  // response.
  if (code === 'interaction_token_expired') return 401
  if (code === 'interaction_timed_out' || code === 'interaction_not_answered') return 404
  return code === 'interaction_already_answered' ? 400 : status
}

function codeOf(error: AppError, missing: Unknown): readonly [number, string] | undefined {
  if (error instanceof DiscordApiError && error.code === 'not_found')
    return [error.numericCode, error.message]
  if (error.code === 'not_found') return unknown[missing]
  if (error.code === 'validation_failed') return [50035, 'Invalid Form Body']
  if (error.limit !== undefined && byCap[error.limit]) return byCap[error.limit]
  return byCode[error.code]
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
              .map(toSnakeCase),
    })),
  )
}

/** The names of Discord's API are ours in snake case. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
