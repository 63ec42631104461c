/** Base class of the errors of this package. No message contains a token. */
export class GatehouseError extends Error {
  override name = 'GatehouseError'
}

/** The service rejected the bot token. It is wrong, or was reset in the developer console. */
export class TokenError extends GatehouseError {
  override name = 'TokenError'
}

/** The service is unreachable, or the connection was lost. The service may have processed the request. */
export class UnreachableError extends GatehouseError {
  override name = 'UnreachableError'
}

/** One entry of `errors` in a 400 response. */
export interface FieldError {
  /** Path of the field: `embeds[0].title`. */
  path: string
  /** Error code: `too_long`. */
  code: string
  message: string
}

interface ErrorDetails {
  status: number
  code: string
  message: string
  /** The request, without ids and tokens: `POST callback`. */
  request?: string
  requestId?: string
}

/**
 * An error response. `status` is the HTTP status, `code` the error code of the API. `message` begins with the method
 * and path of the request, for logs.
 */
export class ApiError extends GatehouseError {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  /** What the service says, without the request: a text that users may see. */
  readonly reason: string
  /** Only with `internal_error`: the operator finds the request in the log by this id. */
  readonly requestId: string | undefined

  constructor(details: ErrorDetails) {
    super(details.request === undefined ? details.message : `${details.request}: ${details.message}`)
    this.status = details.status
    this.code = details.code
    this.reason = details.message
    this.requestId = details.requestId
  }
}

/**
 * The request is invalid; `fieldErrors` has the details. A corrected first response may be sent before the
 * deadline.
 */
export class InvalidError extends ApiError {
  override name = 'InvalidError'
  readonly fieldErrors: readonly FieldError[]

  constructor(details: ErrorDetails, fieldErrors: readonly FieldError[]) {
    const list = fieldErrors.map(
      fieldError => `\n  ${fieldError.path || 'body'}: ${fieldError.message} (${fieldError.code})`,
    )
    super({ ...details, message: details.message + list.join('') })
    this.fieldErrors = fieldErrors
  }

  /** @deprecated Use `fieldErrors`. */
  get faults(): readonly FieldError[] {
    return this.fieldErrors
  }
}

/** The first response was sent after 3 seconds, or any request after the 15 minutes of the token. */
export class LateError extends ApiError {
  override name = 'LateError'
}

/** The interaction already has a first response. */
export class AlreadyAnsweredError extends ApiError {
  override name = 'AlreadyAnsweredError'
}

/** A follow-up or an edit was sent before the first response. */
export class NotAnsweredError extends ApiError {
  override name = 'NotAnsweredError'
}

/** Creates the error for an error response. `request` is the name of the request, without ids and tokens. */
export function createApiError(status: number, body: unknown, request: string): ApiError {
  const { code, message, errors, requestId } = readErrorBody(body)
  const details: ErrorDetails = {
    status,
    code: code ?? `http_${status}`,
    message: message ?? `the service returned status ${status}`,
    request,
    ...(requestId === undefined ? {} : { requestId }),
  }
  switch (details.code) {
    case 'interaction_timed_out':
    case 'interaction_token_expired':
      return new LateError(details)
    case 'interaction_already_answered':
      return new AlreadyAnsweredError(details)
    case 'interaction_not_answered':
      return new NotAnsweredError(details)
    case 'validation_failed':
    case 'malformed_json':
    case 'command_limit':
      return new InvalidError(details, errors ?? [])
    default:
      return new ApiError(details)
  }
}

interface ErrorBody {
  code?: string
  message?: string
  errors?: FieldError[]
  requestId?: string
}

function readErrorBody(body: unknown): ErrorBody {
  // A proxy may return another format, such as HTML. Then all properties are undefined.
  return typeof body === 'object' && body !== null ? (body as ErrorBody) : {}
}
