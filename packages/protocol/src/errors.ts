import type { InferOutput } from 'valibot'
import { urlReasonNames } from './field-errors.ts'
import { type CapName, caps } from './limits.ts'
import { secondFactorMethods } from './second-factor.ts'
import { list, number, object, oneOf, optional, string } from './wire.ts'

/** All error codes of the native API with their statuses (community/errors). */
export const errorStatus = {
  validation_failed: 400,
  malformed_json: 400,
  malformed_request: 400,
  redirect_uri_limit: 400,
  command_limit: 400,
  webhook_limit: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  second_factor_required: 401,
  missing_permission: 403,
  missing_scope: 403,
  credential_not_accepted: 403,
  cross_site: 403,
  email_not_verified: 403,
  account_disabled: 403,
  registration_closed: 403,
  banned: 403,
  invites_paused: 403,
  timed_out: 403,
  member_too_new: 403,
  cannot_message_user: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  limit_reached: 409,
  interaction_already_answered: 409,
  interaction_not_answered: 409,
  interaction_timed_out: 410,
  interaction_token_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  slow_mode: 429,
  headers_too_large: 431,
  internal_error: 500,
  mail_failed: 502,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

export const errorCodes = Object.keys(errorStatus).filter((code): code is ErrorCode => code in errorStatus)

const capNames = Object.keys(caps).filter((name): name is CapName => name in caps)

const Violation = object(
  {
    path: string('The path of the field: `options[0].name`.'),
    code: string('The rule that is violated: `too_long`.'),
    message: string('What is accepted: `must have at most 80 characters`.'),
    min: optional(number('The lower bound, if there is one.')),
    max: optional(number('The upper bound, if there is one.')),
    accepted: optional(list(string(), 'The types, values or members that are accepted.')),
    reason: optional(oneOf(urlReasonNames, 'With `invalid_url`.')),
  },
  'One invalid field of a request.',
)

/** The body of every error response of the native API. */
export const ErrorBody = object(
  {
    code: oneOf(errorCodes, 'The error, for programs.'),
    message: string('The error in a sentence, for people.'),
    errors: optional(list(Violation, 'Only with `validation_failed`.')),
    limit: optional(oneOf(capNames, 'With `limit_reached`: the limit.')),
    retryAfter: optional(
      number('With `rate_limited`, `slow_mode` and `member_too_new`: the seconds to wait.'),
    ),
    requestId: optional(string('With `internal_error`: the id of the request in the log of the service.')),
    ticket: optional(string('With `second_factor_required`: the ticket that replaces the password.')),
    methods: optional(
      list(
        oneOf(secondFactorMethods),
        'With `second_factor_required`: the methods that the user can choose from.',
      ),
    ),
  },
  'An error.',
)
export type ErrorBody = InferOutput<typeof ErrorBody>

/** RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, OpenID Connect Core §3.1.2.6, RFC 7009 §2.2.1. */
export const oauthErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'invalid_token',
  'insufficient_scope',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
  'request_not_supported',
  'request_uri_not_supported',
  'registration_not_supported',
] as const

export type OAuthErrorCode = (typeof oauthErrorCodes)[number]

/** The body of an error response of the OAuth endpoints (RFC 6749 §5.2). */
export const OAuthErrorResponse = object(
  {
    error: oneOf(oauthErrorCodes, 'The error, for programs.'),
    error_description: string('The error in a sentence, for developers.'),
  },
  'An error (RFC 6749 §5.2).',
)
export type OAuthErrorResponse = InferOutput<typeof OAuthErrorResponse>

/** Discord's numeric error codes of the webhook routes (webhooks/error-codes). */
export const DiscordErrorCode = {
  unknownMessage: 10008,
  unknownWebhook: 10015,
  tooLarge: 40005,
  emptyMessage: 50006,
  invalidFormBody: 50035,
  invalidApiVersion: 50041,
  malformedJson: 50109,
} as const

export type DiscordErrorCode = (typeof DiscordErrorCode)[keyof typeof DiscordErrorCode]

export const discordErrorStatus = {
  10008: 404,
  10015: 404,
  40005: 413,
  50006: 400,
  50035: 400,
  50041: 400,
  50109: 400,
} as const satisfies Record<DiscordErrorCode, number>
