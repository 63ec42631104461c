import type { IncomingHttpHeaders } from 'node:http'
import { isId } from '@gatehouse/protocol/ids'
import { maxAnonymousBodyBytes } from '@gatehouse/protocol/limits'
import { AppError, type ErrorCode } from '../errors/app-error.ts'
import type { InteractionsApi, ResponseCredentials } from '../interactions/index.ts'
import type { Clock } from '../kit/clock.ts'
import { parseToken, secretPrefixes } from '../kit/secret.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createNotFoundLimit } from '../webhooks/index.ts'
import { unknownError } from './api-errors.ts'

/** The parameters of a path: of a callback the id of the interaction, of the other paths that of the application. */
type Params = Readonly<Record<string, string>>

interface TokenRequest {
  ip: string
  params: unknown
  headers: IncomingHttpHeaders
}

export type InteractionGuard = ReturnType<typeof createInteractionGuard>

/**
 * Checks the token of an interaction, which is the credential of a response (discord/interaction-token). Wrong tokens
 * count by IP address, as those of webhooks do (webhooks/unknown-webhook-limit).
 */
export function createInteractionGuard({
  interactions,
  rateLimiter,
  clock,
}: {
  interactions: Pick<InteractionsApi, 'isValidToken'>
  rateLimiter: RateLimiter
  clock: Clock
}) {
  const limit = createNotFoundLimit({ rateLimiter, clock })

  async function refuse(request: TokenRequest, params: Params): Promise<never> {
    limit.checkNotFoundLimit(request.ip)
    await limit.recordNotFound(request.ip)
    throw unknownError(params.applicationId === undefined ? 'interaction' : 'webhook')
  }

  return {
    /** Before the body: refuses a token that cannot be one, and any wrong token of a large body. */
    async checkBeforeBody(request: TokenRequest): Promise<void> {
      const params = request.params as Params
      const credentials = parseCredentials(params)
      const isRefused =
        credentials === undefined ||
        (hasLargeBody(request) && !(await interactions.isValidToken(credentials)))
      if (isRefused) await refuse(request, params)
    },

    /** Runs an operation with the token. Its error may have another cause than the token. */
    async run<Result>(
      { request, params }: { request: TokenRequest; params: Params },
      operation: (credentials: ResponseCredentials) => Promise<Result>,
    ): Promise<Result> {
      const credentials = parseCredentials(params)
      if (credentials === undefined) return refuse(request, params)
      try {
        return await operation(credentials)
      } catch (error) {
        const mayBeWrong = error instanceof AppError && codesOfWrongToken.includes(error.code)
        if (mayBeWrong && !(await interactions.isValidToken(credentials))) return refuse(request, params)
        throw error
      }
    },
  }
}

/** What an operation may throw for a wrong token. The body is read before the token. */
const codesOfWrongToken: readonly ErrorCode[] = ['not_found', 'malformed_json', 'validation_failed']

/** More than other routes accept without a credential (limits/anonymous-body). */
function hasLargeBody({ headers }: TokenRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > maxAnonymousBodyBytes
  )
}

function parseCredentials({
  applicationId,
  interactionId,
  token = '',
}: Params): ResponseCredentials | undefined {
  const id = parseToken(secretPrefixes.discordInteractionToken, token)?.id
  if (id === undefined || (interactionId !== undefined && interactionId !== id)) return undefined
  if (applicationId !== undefined && !isId(applicationId)) return undefined
  return { applicationId, id, token, format: 'discord' }
}
