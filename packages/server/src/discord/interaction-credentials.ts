import { isId } from '@gatehouse/protocol/ids'
import { AppError } from '../errors/app-error.ts'
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
    /** Before the body: refuses a token that cannot be one. */
    async checkForm(request: TokenRequest): Promise<void> {
      const params = request.params as Params
      if (parseCredentials(params) === undefined) await refuse(request, params)
    },

    /** Runs an operation with the token. Its 404 may have another cause than the token. */
    async run<Result>(
      { request, params }: { request: TokenRequest; params: Params },
      operation: (credentials: ResponseCredentials) => Promise<Result>,
    ): Promise<Result> {
      const credentials = parseCredentials(params)
      if (credentials === undefined) return refuse(request, params)
      try {
        return await operation(credentials)
      } catch (error) {
        const isUnknown = error instanceof AppError && error.code === 'not_found'
        if (isUnknown && !(await interactions.isValidToken(credentials))) return refuse(request, params)
        throw error
      }
    },
  }
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
