import { isId } from '@gatehouse/protocol/ids'
import { isAbsent, isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { maxNonce } from '@gatehouse/protocol/limits'
import type { Message } from '@gatehouse/protocol/messages'
import { findUsers, userView } from '../../accounts/users/index.ts'
import { findByBotUser } from '../../applications/index.ts'
import type { Messages } from '../../community/messages/index.ts'
import { invalid } from '../../errors/app-error.ts'
import { readAuditReason } from '../../http/audit-reason.ts'
import { limitKeyOf } from '../../http/caller.ts'
import type { Route } from '../../http/route.ts'
import type { Clock } from '../../kit/clock.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Sql } from '../../storage/database.ts'
import { findWebhookApplications, rateLimitHeaders, readDiscordBody } from '../../webhooks/index.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { type DiscordMessage, fromDiscordMessage, toDiscordMessage } from '../objects/message-format.ts'
import { requireId, toCursor } from '../request-members.ts'

export interface MessageRouteDeps {
  db: Sql
  clock: Clock
  baseUrl: string
  rateLimiter: Pick<RateLimiter, 'window' | 'addRequests'>
  deleteMessages: Messages['deleteMessages']
}

/** The most messages of one bulk deletion, as in Discord's API. */
const maxBulk = 100

export function discordMessageRoutes(botRoute: DeclareBotRoute, deps: MessageRouteDeps): Route[] {
  return [
    botRoute('GET /channels/:channelId/messages', {
      summary: 'Lists the messages of a channel, newest first.',
      missing: 'channel',
      handle: async request => formatMessages(deps, await listMessages(request)),
    }),
    botRoute('GET /channels/:channelId/messages/:messageId', {
      summary: 'Returns a message.',
      missing: 'message',
      handle: async ({ run, params }) =>
        formatMessage(deps, await run('getMessage', { params: toIds(params) })),
    }),
    botRoute('POST /channels/:channelId/messages', {
      summary: 'Sends a message.',
      missing: 'channel',
      handle: withRateHeaders(deps, async ({ run, params: { channelId: id = '' }, request, bytes }) => {
        const given = readDiscordBody(request, bytes)
        if (isForward(given.message_reference)) {
          throw invalid('message_reference', 'not_supported', 'must not forward a message')
        }
        const nonce = readNonce(given)
        const isEnforced = given.enforce_nonce === true
        const body = { ...fromDiscordMessage(given), ...(isEnforced && nonce !== undefined ? { nonce } : {}) }
        const repeated = nonce === undefined ? {} : { repeatedNonce: nonce }
        const created = await run('createMessage', { params: { id }, body }, repeated)
        const message = await formatMessage(deps, created)
        return nonce === undefined ? message : { ...message, nonce: given.nonce }
      }),
    }),
    botRoute('PATCH /channels/:channelId/messages/:messageId', {
      summary: 'Edits a message of the bot.',
      missing: 'message',
      async handle({ run, params, request, bytes }) {
        const body = fromDiscordMessage(readDiscordBody(request, bytes))
        return formatMessage(deps, await run('updateMessage', { params: toIds(params), body }))
      },
    }),
    botRoute('DELETE /channels/:channelId/messages/:messageId', {
      summary: 'Deletes a message.',
      missing: 'message',
      handle: ({ run, params }) => run('deleteMessage', { params: toIds(params) }),
    }),
    botRoute('POST /channels/:channelId/messages/bulk-delete', {
      summary: 'Deletes up to 100 messages.',
      missing: 'channel',
      async handle({ caller, params: { channelId = '' }, request, members }) {
        const ids = readIds(members().messages)
        const reason = readAuditReason(request.headers) ?? caller.reason
        await deps.deleteMessages({ userId: caller.userId, reason }, channelId, ids)
        // As many as deletions of one message would be (limits/requests).
        deps.rateLimiter.addRequests(limitKeyOf(caller), ids.length - 1)
      },
    }),
  ]
}

function toIds({ channelId: id = '', messageId = '' }: Readonly<Record<string, string>>) {
  return { id, messageId }
}

/** The headers of the rate of messages, also of an error: clients wait by them. */
function withRateHeaders(
  { rateLimiter, clock }: Pick<MessageRouteDeps, 'rateLimiter' | 'clock'>,
  handle: (request: BotRequest) => Promise<unknown>,
): (request: BotRequest) => Promise<unknown> {
  const name = 'channelMessages'
  const window = rateLimiter.window(name)
  return async request => {
    const { caller, params, reply } = request
    try {
      return await handle(request)
    } finally {
      const result = window.peek(`${limitKeyOf(caller)} ${params.channelId}`)
      reply.headers(rateLimitHeaders(window.rate, result, name, clock()))
    }
  }
}

async function listMessages({ run, params: { channelId: id = '' }, query }: BotRequest): Promise<Message[]> {
  const { around, limit } = query
  const page = { before: toCursor(query.before), after: toCursor(query.after), limit }
  if (around === undefined) return run('listMessages', { params: { id }, query: page })
  if (!isId(around)) throw invalid('around', 'invalid_format', 'must be an id')
  const next = String(BigInt(around) + 1n)
  const older = await run('listMessages', { params: { id }, query: { before: next, limit } })
  const newer = await run('listMessages', { params: { id }, query: { after: around, limit } })
  const half = Math.floor(Number(limit ?? 50) / 2)
  return [...newer.slice(Math.max(0, newer.length - half)), ...older].slice(0, Number(limit ?? 50))
}

/** FORWARD. A reply (0) is sent without its reference: there are none here. */
function isForward(reference: unknown): boolean {
  return isJsonObject(reference) && reference.type === 1
}

/** Response and event repeat it. Only with `enforce_nonce`, the message of another request is returned. Throws 400. */
function readNonce({ nonce }: JsonObject): string | undefined {
  if (isAbsent(nonce)) return undefined
  if (typeof nonce === 'string' ? nonce.length <= maxNonce : Number.isSafeInteger(nonce)) return String(nonce)
  throw invalid('nonce', 'invalid_type', `must be an integer, or a text of up to ${maxNonce} characters`)
}

function readIds(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxBulk) {
    throw invalid('messages', 'out_of_range', `must have 1 to ${maxBulk} ids`)
  }
  return value.map((given, index) => requireId(given, `messages[${index}]`))
}

type FormatDeps = Pick<MessageRouteDeps, 'db' | 'baseUrl'>

async function formatMessage(deps: FormatDeps, message: Message): Promise<DiscordMessage | undefined> {
  return (await formatMessages(deps, [message]))[0]
}

/** Without `member`, which only events of the gateway have. */
async function formatMessages(
  { db, baseUrl }: FormatDeps,
  messages: readonly Message[],
): Promise<DiscordMessage[]> {
  const botIds = new Set(messages.flatMap(({ author, interaction }) => (interaction ? author.id : [])))
  const webhookIds = [...new Set(messages.flatMap(({ author }) => author.webhookId ?? []))]
  const [mentioned, applications, applicationsOfWebhooks] = await Promise.all([
    findUsers(db, [...new Set(messages.flatMap(({ mentions }) => mentions.users))]),
    Promise.all([...botIds].map(async id => [id, await findByBotUser(db, id)] as const)),
    findWebhookApplications(db, webhookIds),
  ])
  const users = new Map([...mentioned].map(([id, record]) => [id, userView(record)]))
  const applicationIds = new Map(applications)
  return messages.map(message => {
    const { author, interaction } = message
    const applicationId =
      author.webhookId === undefined
        ? interaction && applicationIds.get(author.id)
        : applicationsOfWebhooks.get(author.webhookId)
    return toDiscordMessage(message, { users, members: new Map(), applicationId, baseUrl })
  })
}
