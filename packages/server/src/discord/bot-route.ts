import type { ResponseOf } from '@gatehouse/protocol/endpoint-types'
import { endpointOf, type Method, type OperationId } from '@gatehouse/protocol/endpoints'
import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { AppError, invalid } from '../errors/app-error.ts'
import { isVersion9 } from '../http/api-version.ts'
import { checkAuditReason } from '../http/audit-reason.ts'
import { type BotCaller, limitKeyOf } from '../http/caller.ts'
import type { OperationParts, Operations } from '../http/operations.ts'
import type { Route } from '../http/route.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { readExactJson } from '../webhooks/index.ts'
import { missingAccess, type Unknown, unknownError } from './api-errors.ts'
import { type ApiRequest, apiPath, route } from './api-route.ts'
import { requirePathIds } from './request-members.ts'
import { findUnsupported } from './unsupported-path.ts'

/**
 * Runs an operation as the bot: at most one that changes something, so that a refused request changes nothing. Each one
 * after the first counts as a further request (limits/requests).
 */
export type Run = <Id extends OperationId>(
  id: Id,
  parts: OperationParts<Id>,
  more?: Pick<BotCaller, 'repeatedNonce'>,
) => Promise<ResponseOf<Id>>

export interface BotRequest extends Omit<ApiRequest<{ bot: true }>, 'body'> {
  /** With the reason of the query, but not that of the header, which operations read. */
  caller: BotCaller
  run: Run
  /** The members of the JSON body; none without a body. Throws 400 for another JSON value. */
  members(): JsonObject
  /** The entries of the JSON body. Throws 400 unless it is a list of objects. */
  entries(): JsonObject[]
  /** The body as it was received. */
  bytes: unknown
}

interface BotRoute {
  summary: string
  /** What a 404 of the route means, if the channel or guild of the path exists for the bot. */
  missing: Unknown
  handle: (request: BotRequest) => Promise<unknown>
}

export type DeclareBotRoute = ReturnType<typeof createBotRoute>

/** Declares routes of bots that run operations: `botRoute('GET /channels/:channelId', …)`. */
export function createBotRoute({
  operations,
  rateLimiter,
}: {
  operations: Operations
  rateLimiter: Pick<RateLimiter, 'addRequests'>
}) {
  function createRun({ caller, request, reply }: ApiRequest<{ bot: true }>): Run {
    let runs = 0
    let changes = 0
    return (id, parts, more) => {
      if (endpointOf(id).method !== 'GET' && changes++ > 0) throw new Error(`${id} is a second change`)
      if (runs++ > 0) rateLimiter.addRequests(limitKeyOf(caller), 1)
      return operations.run(id, { caller: { ...caller, ...more }, request, reply, ...parts })
    }
  }

  return (methodAndPath: `${Method} /${string}`, { summary, missing, handle }: BotRoute): Route =>
    route(methodAndPath, {
      summary,
      missing,
      // The ids of a body may be numbers that JavaScript would round.
      bodyTypes: ['any'],
      async handle({ body: bytes, ...given }) {
        const input = { ...given, caller: withQueryReason(given) }
        const run = createRun({ body: bytes, ...input })
        const readBody = () => readExactJson(bytes) ?? {}
        const members = () => requireObject(readBody(), '')
        const entries = () =>
          requireList(readBody()).map((entry, index) => requireObject(entry, `[${index}]`))
        checkPathIds(input)
        try {
          return await handle({ ...input, run, members, entries, bytes })
        } catch (error) {
          if (!isNotFound(error)) throw error
          const what = await findMissing(run, input.params, missing)
          const isOfCommands = input.params.applicationId !== undefined
          throw what === 'guild' && isOfCommands ? missingAccess() : unknownError(what)
        }
      },
    })
}

/** Version 9 of Discord's API has the reason of an act in the query too. A header takes precedence. */
function withQueryReason({
  caller,
  request,
  query: { reason: given },
}: Omit<ApiRequest<{ bot: true }>, 'body'>) {
  if (typeof given !== 'string' || request.method === 'GET' || !isVersion9(request)) return caller
  const reason = checkAuditReason(given)
  return reason === undefined ? caller : { ...caller, reason }
}

/**
 * Throws for a word in the place of an id: 404 if Discord's API has the path, such as `…/messages/pins`, or else 400.
 */
function checkPathIds({ request, params }: Pick<ApiRequest<{ bot: true }>, 'request' | 'params'>): void {
  try {
    requirePathIds(params)
  } catch (error) {
    throw findUnsupported(request.server.routeLookup.find(request.url).path.slice(apiPath.length)) ?? error
  }
}

/** Plain 404 errors of operations, which do not say what was not found. */
function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.constructor === AppError && error.code === 'not_found'
}

async function findMissing(
  run: Run,
  { channelId, guildId, userId, roleId }: Readonly<Record<string, string>>,
  missing: Unknown,
): Promise<Unknown> {
  if (channelId !== undefined && missing !== 'channel') {
    if (!(await exists(run('getChannel', { params: { id: channelId } })))) return 'channel'
  }
  if (guildId !== undefined && missing !== 'guild') {
    if (!(await exists(run('getServer', { params: { id: guildId } })))) return 'guild'
    const params = userId !== undefined && roleId !== undefined ? { id: guildId, userId } : undefined
    if (params && !(await exists(run('getMember', { params })))) return 'member'
  }
  return missing
}

async function exists(found: Promise<unknown>): Promise<boolean> {
  try {
    await found
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function requireObject(value: unknown, path: string): JsonObject {
  if (isJsonObject(value)) return value
  throw invalid(path, 'invalid_type', 'must be an object')
}

function requireList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid('', 'invalid_type', 'must be a list')
}
