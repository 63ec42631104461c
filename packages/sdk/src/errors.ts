/** Whatever this package throws by intention. No message holds a token. */
export class GatehouseError extends Error {
  override name = 'GatehouseError'
}

/** The token is not, or no longer, one of a bot: it was mistyped, or reset in the developer console. */
export class TokenError extends GatehouseError {
  override name = 'TokenError'
}

/** The service was not reached, or broke off: whether it did what was asked is not known. */
export class UnreachableError extends GatehouseError {
  override name = 'UnreachableError'
}

/** One thing wrong with what was sent. */
export interface Fault {
  /** Where: `embeds[0].title`. */
  path: string
  /** Which rule: `too_long`. */
  code: string
  message: string
}

interface Refusal {
  status: number
  code: string
  message: string
  /** What was asked, without ids and tokens: `POST callback`. */
  request?: string
  requestId?: string
}

/** The service refused. `status` is the HTTP status, `code` the word of the contract. */
export class ApiError extends GatehouseError {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  /** With `internal_error`: what to tell whoever runs the service. */
  readonly requestId: string | undefined

  constructor(refusal: Refusal) {
    super(refusal.request === undefined ? refusal.message : `${refusal.request}: ${refusal.message}`)
    this.status = refusal.status
    this.code = refusal.code
    this.requestId = refusal.requestId
  }
}

/** What was sent breaks rules; `faults` says which, and where. A first response can be sent again in time. */
export class InvalidError extends ApiError {
  override name = 'InvalidError'
  readonly faults: readonly Fault[]

  constructor(refusal: Refusal, faults: readonly Fault[]) {
    const list = faults.map(fault => `\n  ${fault.path || 'body'}: ${fault.message} (${fault.code})`)
    super({ ...refusal, message: refusal.message + list.join('') })
    this.faults = faults
  }
}

/** Too late: the first response after its 3 seconds, or anything after the token's 15 minutes. */
export class LateError extends ApiError {
  override name = 'LateError'
}

/** The interaction has its first response already. */
export class AlreadyAnsweredError extends ApiError {
  override name = 'AlreadyAnsweredError'
}

/** A follow-up or an edit before any response. */
export class NotAnsweredError extends ApiError {
  override name = 'NotAnsweredError'
}

/** The body of a refusal in the native dialect, as the error that it is. `request` names what was asked. */
export function refused(status: number, body: unknown, request: string): ApiError {
  const { code, message, errors, requestId } = readRefusal(body)
  const refusal: Refusal = {
    status,
    code: code ?? `http_${status}`,
    message: message ?? `answered with status ${status}`,
    request,
    ...(requestId === undefined ? {} : { requestId }),
  }
  switch (refusal.code) {
    case 'interaction_timed_out':
    case 'interaction_token_expired':
      return new LateError(refusal)
    case 'interaction_already_answered':
      return new AlreadyAnsweredError(refusal)
    case 'interaction_not_answered':
      return new NotAnsweredError(refusal)
    case 'validation_failed':
    case 'malformed_json':
    case 'command_limit':
      return new InvalidError(refusal, errors ?? [])
    default:
      return new ApiError(refusal)
  }
}

interface RefusalBody {
  code?: string
  message?: string
  errors?: Fault[]
  requestId?: string
}

function readRefusal(body: unknown): RefusalBody {
  // A parse edge: what is no refusal of the contract (a proxy's page) has none of these members.
  return typeof body === 'object' && body !== null ? (body as RefusalBody) : {}
}
