import { type Answer, toData } from './answers.ts'
import type { BotApi } from './api.ts'
import { toRegistration } from './commands.ts'
import { GatehouseError, refused } from './errors.ts'
import type { TestClock } from './test-clock.ts'
import type { InteractionEvent, Message, RegisteredCommand, ResponseData, User } from './types.ts'

export type UseState = 'pending' | 'answered' | 'deferred' | 'timed_out'

/** The state of one interaction. */
export interface Standing {
  event: InteractionEvent
  first: 'pending' | 'answered' | 'deferred'
  original: Message | undefined
  followUps: Message[]
}

/**
 * An implementation of the interaction API in memory. It enforces the order and the deadlines of responses
 * (bots/interaction-states, bots/callback-response).
 */
export interface TestService {
  api: BotApi
  /** The messages of all channels, in order. */
  readonly messages: readonly Message[]
  newId(): string
  open(event: InteractionEvent): Standing
  stateOf(standing: Standing): UseState
}

const bot: User = { id: '900000000000000001', username: 'bot', displayName: 'Bot', avatar: '/avatars/bot' }

export function createTestService(clock: TestClock): TestService {
  const standings = new Map<string, Standing>()
  const messages: Message[] = []
  let registered: RegisteredCommand[] = []
  let lastId = 900_000_000_000_000_001n

  function newId(): string {
    lastId += 1n
    return lastId.toString()
  }

  const iso = () => new Date(clock.now()).toISOString()

  function stateOf({ event, first }: Standing): UseState {
    const end = first === 'pending' ? event.deadlineAt : first === 'deferred' ? event.expiresAt : undefined
    return end !== undefined && clock.now() >= Date.parse(end) ? 'timed_out' : first
  }

  function find(event: InteractionEvent): Standing {
    const standing = standings.get(event.id)
    if (!standing) throw apiError(404, 'not_found', 'There is no such interaction.')
    return standing
  }

  /** Finds an interaction that has a first response and a valid token. */
  function findAnswered(event: InteractionEvent): Standing {
    const standing = find(event)
    if (clock.now() >= Date.parse(event.expiresAt)) {
      throw apiError(410, 'interaction_token_expired', "The interaction's token holds for 15 minutes.")
    }
    const state = stateOf(standing)
    if (state === 'timed_out') throw apiError(410, 'interaction_timed_out', 'The interaction timed out.')
    if (state === 'pending') {
      throw apiError(409, 'interaction_not_answered', 'The interaction has no first response yet.')
    }
    return standing
  }

  function post(channelId: string, serverId: string | null, data: ResponseData, more: Partial<Message> = {}) {
    const message: Message = {
      id: newId(),
      channelId,
      serverId,
      author: { ...bot, bot: true },
      content: data.content ?? '',
      embeds: [...(data.embeds ?? [])],
      components: [...(data.components ?? [])],
      mentions: { users: [], roles: [], everyone: false },
      createdAt: iso(),
      editedAt: null,
      state: 'sent',
      ...(data.ephemeral ? { ephemeral: true as const } : {}),
      ...more,
    }
    messages.push(message)
    return message
  }

  function respond({ event }: Standing, data: ResponseData, state: Message['state'] = 'sent') {
    const { id, type, user } = event
    const name = event.type === 'command' ? event.data.name : event.data.customId
    return post(event.channelId, event.serverId, data, { state, interaction: { id, type, name, user } })
  }

  /** Changes the given properties; null and [] clear a property. */
  function change(message: Message, data: ResponseData, prefix = ''): Message {
    const { content = message.content, embeds = message.embeds, components = message.components } = data
    const changed = {
      content: content ?? '',
      embeds: [...(embeds ?? [])],
      components: [...(components ?? [])],
    }
    validate(changed, prefix)
    const editedAt = message.state === 'sent' ? iso() : null
    return Object.assign(message, changed, { editedAt, state: 'sent' })
  }

  function remove(message: Message) {
    messages.splice(messages.indexOf(message), 1)
  }

  function messageOf(standing: Standing, id: string): Message {
    const { original, followUps } = standing
    const found = id === 'original' ? original : [original, ...followUps].find(message => message?.id === id)
    if (!found || !messages.includes(found)) throw apiError(404, 'not_found', 'There is no such message.')
    return found
  }

  function findMessage(messageId: string): Message {
    const found = messages.find(message => message.id === messageId)
    if (!found) throw apiError(404, 'not_found', 'There is no such message.')
    return found
  }

  const api: BotApi = {
    async callback(event, { type, data = {} }) {
      const standing = find(event)
      const state = stateOf(standing)
      if (state === 'timed_out') {
        const late = clock.now() - Date.parse(event.deadlineAt)
        throw apiError(410, 'interaction_timed_out', `Answered ${late} ms after the deadline.`)
      }
      if (state !== 'pending') {
        throw apiError(409, 'interaction_already_answered', 'The interaction has its first response already.')
      }
      if (type === 'message') {
        validate(data, 'data.')
        standing.original = respond(standing, data)
      } else if (type === 'defer') standing.original = respond(standing, data, 'deferred')
      else {
        const { pressed } = pressedBy(event, messages)
        if (type === 'update') change(pressed, data, 'data.')
        standing.original = pressed
      }
      standing.first = type === 'defer' ? 'deferred' : 'answered'
      return type === 'deferred_update' ? null : copy(standing.original)
    },
    async followUp(event, data) {
      const standing = findAnswered(event)
      validate(data, '')
      const { original } = standing
      // The first follow-up replaces the placeholder. It has the same id if both have the same visibility
      // (bots/interaction-states, bots/placeholder-id).
      if (standing.first === 'deferred' && original) {
        standing.first = 'answered'
        if (original.ephemeral === (data.ephemeral || undefined)) return copy(change(original, data))
        remove(original)
        standing.original = respond(standing, data)
        return copy(standing.original)
      }
      const message = respond(standing, data)
      standing.followUps.push(message)
      return copy(message)
    },
    async edit(event, id, data) {
      const standing = findAnswered(event)
      const message = change(messageOf(standing, id), data)
      if (message === standing.original) standing.first = 'answered'
      return copy(message)
    },
    async delete(event, id) {
      const standing = findAnswered(event)
      const message = messageOf(standing, id)
      remove(message)
      if (message === standing.original) {
        standing.first = 'answered'
        standing.original = undefined
      }
      standing.followUps = standing.followUps.filter(other => other !== message)
    },
    async sendMessage(channelId, answer) {
      const data = toData(answer)
      validate(data, '')
      return copy(post(channelId, null, data))
    },
    async editMessage(_channelId, messageId, answer: string | Answer) {
      return copy(change(findMessage(messageId), toData(answer)))
    },
    async deleteMessage(_channelId, messageId) {
      remove(findMessage(messageId))
    },
    async openDirectMessage() {
      return { id: newId(), serverId: null, type: 'dm' }
    },
    async commands() {
      return structuredClone(registered)
    },
    async putCommands(definitions) {
      registered = definitions.map(definition => ({
        id: newId(),
        applicationId: bot.id,
        ...structuredClone(toRegistration(definition)),
        createdAt: iso(),
        updatedAt: iso(),
      }))
      return structuredClone(registered)
    },
    async gatewayUrl() {
      throw new GatehouseError('a test bot has no gateway')
    },
  }

  return {
    api,
    messages,
    newId,
    stateOf,
    open(event) {
      const standing: Standing = { event, first: 'pending', original: undefined, followUps: [] }
      standings.set(event.id, standing)
      return standing
    },
  }
}

function pressedBy(event: InteractionEvent, messages: readonly Message[]): { pressed: Message } {
  if (event.type !== 'component') {
    throw apiError(400, 'validation_failed', 'The body is invalid.', [
      { path: 'type', code: 'not_allowed', message: 'is for buttons' },
    ])
  }
  const pressed = messages.find(({ id }) => id === event.message.id)
  if (!pressed) throw apiError(404, 'not_found', 'The message is gone.')
  return { pressed }
}

/** Validates the most common limits. The service has more. */
function validate({ content, embeds, components }: ResponseData, prefix: string): void {
  const fieldErrors: { path: string; code: string; message: string }[] = []
  if ([...(content ?? '').trim()].length > 2000) {
    fieldErrors.push({
      path: `${prefix}content`,
      code: 'too_long',
      message: 'must have at most 2000 characters',
    })
  }
  if ((content ?? '').trim() === '' && (embeds ?? []).length === 0) {
    fieldErrors.push({
      path: `${prefix}content`,
      code: 'required',
      message: 'content or an embed is required',
    })
  }
  if ((embeds ?? []).length > 10) {
    fieldErrors.push({ path: `${prefix}embeds`, code: 'too_many', message: 'must have at most 10' })
  }
  const customIds = new Set<string>()
  for (const [index, row] of (components ?? []).entries()) {
    const path = `${prefix}components[${index}].components`
    if (index === 5)
      fieldErrors.push({ path: `${prefix}components`, code: 'too_many', message: 'must have at most 5' })
    if (row.components.length < 1 || row.components.length > 5) {
      fieldErrors.push({ path, code: 'too_many', message: 'must have 1 to 5 buttons' })
    }
    for (const [position, button] of row.components.entries()) {
      if (button.style === 'link') continue
      if (customIds.has(button.customId)) {
        const message = 'stands in this message already'
        fieldErrors.push({ path: `${path}[${position}].customId`, code: 'duplicate', message })
      }
      customIds.add(button.customId)
    }
  }
  if (fieldErrors.length > 0) throw apiError(400, 'validation_failed', 'The body is invalid.', fieldErrors)
}

function apiError(status: number, code: string, message: string, errors?: unknown): Error {
  return refused(status, { code, message, ...(errors ? { errors } : {}) }, 'test')
}

function copy(message: Message): Message {
  return structuredClone(message)
}
