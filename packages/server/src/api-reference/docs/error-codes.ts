import type { DiscordErrorCode, ErrorCode, OAuthErrorCode } from '@gatehouse/protocol/errors'
import type { Operation, Reference, Response, Schema } from './docs-document.ts'

/** The formats of errors, by the schema of the body or its media type. */
const formats = {
  ErrorBody: 'Native operations: `code` of the JSON body',
  OAuthError: 'OAuth 2.0 and OpenID Connect: `error` of the JSON body (RFC 6749)',
  DiscordError: "Webhooks in Discord's format: `code` of the JSON body",
  'text/plain': "Webhooks in Slack's format: the body is the code",
} as const

type Format = keyof typeof formats

const native: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'The request is not valid. `errors` lists the fields.',
  malformed_json: 'The body is not JSON in UTF-8, or is nested deeper than 32 levels.',
  malformed_request: 'The URL is not valid, or a required header is missing.',
  redirect_uri_limit: 'The application has 10 redirect URIs.',
  command_limit: 'There are more than 100 slash commands, 15 user commands or 15 message commands in a set.',
  webhook_limit: 'The channel has 15 webhooks.',
  unauthenticated: 'The credential is missing, wrong, or has expired.',
  invalid_credentials: 'The password or the code is wrong.',
  second_factor_required:
    'The password is correct. Continue with `ticket` and one of `methods` at `POST /api/auth/login/second-factor`.',
  missing_permission: 'The user or bot lacks a permission. The message names it.',
  missing_scope: 'The access token lacks a scope. The message and `WWW-Authenticate` name it.',
  credential_not_accepted: 'The credential is valid, but of a kind that the operation does not accept.',
  cross_site: 'A page of another site sent the request with the cookie of the user.',
  email_not_verified: 'The user has not verified the email address yet.',
  registration_closed: 'The operator has closed the registration, or it requires an invite.',
  banned: 'The user or bot is banned from the server.',
  timed_out: 'The member is timed out. The message says until when.',
  not_found: 'The resource does not exist, or the caller cannot see it.',
  method_not_allowed: 'The path exists, but not with this method. `Allow` lists the methods.',
  request_timeout: 'The body did not arrive within 30 seconds.',
  conflict: 'The value is taken, or another request has changed the resource.',
  limit_reached: 'A limit on the number of resources is reached. `limit` names it.',
  interaction_already_answered: 'The interaction already has a first response.',
  interaction_not_answered: 'A follow-up or an edit came before the first response.',
  interaction_timed_out: 'The first response came later than 3 seconds after the interaction.',
  interaction_token_expired: 'The interaction is older than 15 minutes.',
  precondition_failed: 'The resource has changed since the version that `If-Match` names.',
  body_too_large:
    'The body is larger than 1 MiB, or than 64 KiB if it is JSON and the endpoint needs no credential.',
  uri_too_long: 'The URL or a part of its path is too long.',
  unsupported_media_type: 'The `Content-Type` or `Content-Encoding` of the body is not accepted.',
  rate_limited: 'Too many requests. Repeat the request after the seconds in `Retry-After`.',
  headers_too_large: 'The headers of the request are too large.',
  internal_error: 'An error of the service. `requestId` finds it in the log.',
  unavailable: 'The service is starting or stopping, or cannot reach its database. Try again.',
}

const oauth: Readonly<Record<OAuthErrorCode, string>> = {
  invalid_request: 'A parameter is missing, repeated or not valid. The description names it.',
  invalid_client: 'The client is unknown, or its secret is wrong.',
  invalid_grant:
    'The code or token was used before, has expired, was revoked or belongs to another client; or the verifier or redirect URI differs.',
  unauthorized_client: 'The client must not use this grant type.',
  unsupported_grant_type: 'The grant type is neither `authorization_code` nor `refresh_token`.',
  unsupported_response_type: 'The response type is not `code`.',
  invalid_scope: 'No requested scope is known, or a refresh requests more scopes than were granted.',
  access_denied: 'The user denied access.',
  server_error: 'An error of the service. Try again.',
  temporarily_unavailable: 'Too many requests, or the service is not available. See `Retry-After`.',
  invalid_token: 'The access token is missing, wrong, or has expired. Refresh it.',
  insufficient_scope: 'The access token lacks a scope. `WWW-Authenticate` names it.',
  login_required: 'With `prompt=none`: the user is not signed in.',
  consent_required: 'With `prompt=none`: the user has not consented.',
  interaction_required: 'With `prompt=none`: a page must be shown.',
  account_selection_required: 'With `prompt=none`: the user must select an account.',
  request_not_supported: 'Request objects are not supported.',
  request_uri_not_supported: 'Request objects are not supported.',
  registration_not_supported: 'Registration in the request is not supported.',
}

const discord: Readonly<Record<DiscordErrorCode | 0, string>> = {
  0: "An error for which Discord's format has no code. `message` has the reason.",
  10008: 'The message does not exist, or is not one of this webhook.',
  10015: 'The webhook does not exist, or the token is wrong.',
  40005: 'The body is larger than 1 MiB, or than 8 MiB for GitHub.',
  50006: 'The message has neither content nor an embed.',
  50035: 'A field is not valid. `errors` has the errors, nested by field and index.',
  50041: 'The path has a version of the API of Discord that does not exist here.',
  50109: 'The body is not JSON in UTF-8, or is nested deeper than 32 levels.',
}

const slack: Readonly<Record<string, string>> = {
  invalid_payload: "The body is not a message in Slack's format.",
  no_text: 'The message has no text.',
  no_service: 'The webhook does not exist, or the token is wrong.',
  payload_too_large: 'The body is larger than 1 MiB.',
}

const meanings: Readonly<Record<Format, Readonly<Record<string, string>>>> = {
  ErrorBody: native,
  OAuthError: oauth,
  DiscordError: discord,
  // Errors for which Slack has no code keep the native one.
  'text/plain': { ...native, ...slack },
}

/** An error code of an operation. */
export interface ErrorOf {
  format: Format
  code: string
  status: string
  meaning: string
  /** The id of its row in the catalogue. */
  id: string
}

/** The codes that the schema of an error response allows. A page has none. */
export function errorsOf(status: string, response: Response): ErrorOf[] {
  return Object.entries(response.content ?? {}).flatMap(([mediaType, { schema }]) => {
    const format = formatOf(schema, mediaType)
    if (format === undefined) return []
    return codesOf(schema).map(value => {
      const code = String(value)
      const id = `${format.replace(/\W/g, '-')}-${code}`
      return { format, code, status, meaning: meanings[format][code] ?? '', id }
    })
  })
}

function formatOf(schema: Schema, mediaType: string): Format | undefined {
  const names = [schema, ...(schema.allOf ?? [])].flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])
  return Object.keys(formats).find(
    (format): format is Format => names.includes(format) || format === mediaType,
  )
}

function codesOf(schema: Schema): readonly unknown[] {
  if (schema.enum) return schema.enum
  return (schema.allOf ?? []).flatMap(({ properties }) =>
    Object.values(properties ?? {}).flatMap(member => member.enum ?? []),
  )
}

export interface CatalogueEntry extends ErrorOf {
  operations: Operation[]
}

/** All errors of the document by format, in the order of their statuses. */
export function listErrors({ operations }: Reference): { title: string; entries: CatalogueEntry[] }[] {
  const entries = new Map<string, CatalogueEntry>()
  for (const operation of operations) {
    for (const { status, response } of operation.resolvedResponses) {
      if (status < '4') continue
      for (const error of errorsOf(status, response)) {
        const entry = entries.get(error.id) ?? { ...error, operations: [] }
        entries.set(error.id, entry)
        // One code may have several statuses.
        if (!entry.status.includes(status)) entry.status += `, ${status}`
        if (!entry.operations.includes(operation)) entry.operations.push(operation)
      }
    }
  }
  return Object.entries(formats).map(([format, title]) => ({
    title,
    entries: [...entries.values()]
      .filter(entry => entry.format === format)
      .toSorted((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code)),
  }))
}
