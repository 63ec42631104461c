import { isId } from '@gatehouse/protocol/ids'
import { findByBotUser } from '../applications/index.ts'
import { AppError } from '../errors/app-error.ts'
import type { RouteRequest } from '../http/route.ts'
import type { InteractionsApi, ResponseCredentials } from '../interactions/index.ts'
import { parseToken, secretPrefixes } from '../kit/secret.ts'
import type { Sql } from '../storage/database.ts'
import type { NotFoundLimit } from '../webhooks/index.ts'
import { unknownError } from './api-errors.ts'

/** The parameters of a path: of a callback the id of the interaction, of the other paths that of the application. */
type Params = Readonly<Record<string, string>>

export type InteractionGuard = ReturnType<typeof createInteractionGuard>

/**
 * Checks the token of an interaction, which is the credential of a response (discord/interaction-token). Wrong tokens
 * count by IP address, as those of webhooks do (webhooks/unknown-webhook-limit).
 */
export function createInteractionGuard({
  db,
  interactions: { findResponder, responseRate },
  notFoundLimit,
}: {
  db: Sql
  interactions: Pick<InteractionsApi, 'findResponder' | 'responseRate'>
  notFoundLimit: NotFoundLimit
}) {
  /** The path may have the id of the bot instead (discord/application-ids). */
  async function readCredentials(params: Params): Promise<ResponseCredentials | undefined> {
    const credentials = parseCredentials(params)
    if (credentials?.applicationId === undefined) return credentials
    const { applicationId } = credentials
    return { ...credentials, applicationId: (await findByBotUser(db, applicationId)) ?? applicationId }
  }

  async function refuse(request: RouteRequest, params: Params): Promise<never> {
    await notFoundLimit.countNotFound(request.ip)
    throw unknownError(params.applicationId === undefined ? 'interaction' : 'webhook')
  }

  return {
    /** Before the body: refuses a wrong token, and counts the request by application (limits/responses). */
    async checkBeforeBody(request: RouteRequest): Promise<void> {
      const params = request.params as Params
      const credentials = await readCredentials(params)
      const responder = credentials && (await findResponder(credentials))
      if (credentials === undefined || responder === undefined) return refuse(request, params)
      const callback = { isAwaited: async () => (await findResponder(credentials))?.acceptsCallback === true }
      await responseRate.admit(
        request,
        responder.applicationId,
        params.interactionId === undefined ? undefined : callback,
      )
    },

    /** Runs an operation with the token, which may have ended while the body arrived. */
    async run<Result>(
      { request, params }: { request: RouteRequest; params: Params },
      operation: (credentials: ResponseCredentials) => Promise<Result>,
    ): Promise<Result> {
      const credentials = await readCredentials(params)
      if (credentials === undefined) return refuse(request, params)
      try {
        const result = await operation(credentials)
        responseRate.complete(request)
        return result
      } catch (error) {
        const mayHaveEnded = error instanceof AppError && error.code === 'not_found'
        if (mayHaveEnded && !(await findResponder(credentials))) return refuse(request, params)
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
