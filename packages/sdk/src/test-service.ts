import type { BotApi } from './api.ts'
import { commandTypeOf, readOptions, toRegistration } from './commands.ts'
import { createApiError, GatehouseError } from './errors.ts'
import { toResponseData } from './reply.ts'
import type { PageQuery } from './resources.ts'
import type { TestClock } from './test-clock.ts'
import { createTestResources, type TestApi, type TestRequest } from './test-resources.ts'
import type {
  CallbackBody,
  Choice,
  InteractionEvent,
  Message,
  Modal,
  RegisteredCommand,
  ResponseData,
  User,
} from './types.ts'

export type UseState = 'pending' | 'answered' | 'deferred' | 'timed_out'

/** The state of one interaction. */
export interface TestInteraction {
  event: InteractionEvent
  /** Without timeouts. `stateOf` includes them. */
  state: 'pending' | 'answered' | 'deferred'
  original: Message | undefined
  followUps: Message[]
  /** The modal that the first response opened. */
  modal: Modal | undefined
  /** Whether the user submitted it. */
  isSubmitted: boolean
  /** The suggestions of the bot, only after autocomplete. */
  choices: Choice[]
}

/**
 * An implementation of the interaction API in memory. It enforces the order and the deadlines of responses
 * (bots/interaction-states, bots/callback-response).
 */
export interface TestService {
  api: BotApi
  /** The messages of all channels, in order. */
  readonly messages: readonly Message[]
  /** The calls of the functions of `api` that are grouped by resource. */
  readonly requests: readonly TestRequest[]
  newId(): string
  /** Adds a message of a user. */
  addMessage(message: Pick<Message, 'channelId' | 'serverId' | 'author' | 'content'>): Message
  open(event: InteractionEvent): TestInteraction
  stateOf(interaction: TestInteraction): UseState
}

const bot: User = { id: '900000000000000001', username: 'bot', displayName: 'Bot', avatar: '/avatars/bot' }

/** Where a user is if the test does not say it. */
export const testChannelId = '600000000000000001'
export const testServerId = '500000000000000001'

export function createTestService(clock: TestClock, given: TestApi = {}): TestService {
  const interactions = new Map<string, TestInteraction>()
  const messages: Message[] = []
  const requests: TestRequest[] = []
  const serverOfChannel = new Map<string, string | null>([[testChannelId, testServerId]])
  let registered: RegisteredCommand[] = []
  let lastId = 900_000_000_000_000_001n

  function newId(): string {
    lastId += 1n
    return lastId.toString()
  }

  const iso = () => new Date(clock.now()).toISOString()

  function stateOf({ event, state }: TestInteraction): UseState {
    const deadline =
      state === 'pending' ? event.deadlineAt : state === 'deferred' ? event.expiresAt : undefined
    return deadline !== undefined && clock.now() >= Date.parse(deadline) ? 'timed_out' : state
  }

  function findInteraction(event: InteractionEvent): TestInteraction {
    const interaction = interactions.get(event.id)
    if (!interaction) throw createError(404, 'not_found', 'Unknown interaction.')
    return interaction
  }

  /** Finds an interaction that has a first response and a valid token. */
  function findAnswered(event: InteractionEvent): TestInteraction {
    const interaction = findInteraction(event)
    if (clock.now() >= Date.parse(event.expiresAt)) {
      throw createError(
        410,
        'interaction_token_expired',
        'The token of the interaction expired after 15 minutes.',
      )
    }
    const state = stateOf(interaction)
    if (state === 'timed_out') throw createError(410, 'interaction_timed_out', 'The interaction timed out.')
    if (state === 'pending') {
      throw createError(409, 'interaction_not_answered', 'The interaction has no first response yet.')
    }
    return interaction
  }

  function createMessage(
    channelId: string,
    serverId: string | null,
    data: ResponseData,
    properties: Partial<Message> = {},
  ) {
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
      ...properties,
    }
    messages.push(message)
    return message
  }

  function respond({ event }: TestInteraction, data: ResponseData, state: Message['state'] = 'sent') {
    // A message is no response to autocomplete.
    if (event.type === 'autocomplete') throw new TypeError('The interaction has no message.')
    const { id, type, user } = event
    const name = event.type === 'command' ? event.data.name : event.data.customId
    const commandType = commandTypeOf(event)
    const menu = commandType === undefined || commandType === 'slash' ? {} : { commandType }
    return createMessage(event.channelId, event.serverId, data, {
      state,
      interaction: { id, type, name, ...menu, user },
    })
  }

  /** Changes the given properties; null and [] clear a property. */
  function edit(message: Message, data: ResponseData, prefix = ''): Message {
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

  function findResponse(interaction: TestInteraction, id: string): Message {
    const { original, followUps } = interaction
    const found = id === 'original' ? original : [original, ...followUps].find(message => message?.id === id)
    if (!found || !messages.includes(found)) throw createError(404, 'not_found', 'Unknown message.')
    return found
  }

  function findMessage(messageId: string): Message {
    const found = messages.find(message => message.id === messageId)
    if (!found) throw createError(404, 'not_found', 'Unknown message.')
    return found
  }

  function findMessageOfComponent(event: InteractionEvent): Message {
    if ('message' in event && event.message) return findMessage(event.message.id)
    throw createError(400, 'validation_failed', 'The body is invalid.', [
      { path: 'type', code: 'not_allowed', message: 'is only accepted for a component' },
    ])
  }

  const resources = createTestResources(
    given,
    {
      users: { me: async () => ({ ...bot, bot: true }) },
      messages: {
        async create(channelId, message) {
          const data = toResponseData(message)
          validate(data, '')
          return structuredClone(createMessage(channelId, serverOfChannel.get(channelId) ?? null, data))
        },
        update: async (_channelId, messageId, message) =>
          structuredClone(edit(findMessage(messageId), toResponseData(message))),
        get: async (_channelId, messageId) => structuredClone(findMessage(messageId)),
        list: async (channelId, page) =>
          structuredClone(
            selectPage(
              messages.filter(message => message.channelId === channelId),
              page,
            ),
          ),
        delete: async (_channelId, messageId) => remove(findMessage(messageId)),
      },
      directMessages: {
        open: async () => ({
          ...{ id: newId(), serverId: null, type: 'dm', name: null, topic: null },
          ...{ position: 0, permissionOverwrites: [] },
        }),
      },
    },
    request => requests.push(request),
  )

  const api: BotApi = {
    ...resources,
    sendMessage: resources.messages.create,
    editMessage: resources.messages.update,
    deleteMessage: resources.messages.delete,
    openDirectMessage: recipientId => resources.directMessages.open({ recipientId }),
    async callback(event, body) {
      const interaction = findInteraction(event)
      const state = stateOf(interaction)
      if (state === 'timed_out') {
        const lateMs = clock.now() - Date.parse(event.deadlineAt)
        throw createError(
          410,
          'interaction_timed_out',
          `The interaction timed out: the response arrived ${lateMs} ms after the deadline.`,
        )
      }
      if (state !== 'pending') {
        throw createError(
          409,
          'interaction_already_answered',
          'The interaction already has a first response.',
        )
      }
      validateType(event, body.type)
      if (body.type === 'autocomplete') {
        interaction.choices = checkChoices(event, body.data.choices)
        interaction.state = 'answered'
        return null
      }
      if (body.type === 'modal') {
        validateModal(event, body.data)
        interaction.modal = structuredClone(body.data)
        interaction.state = 'answered'
        return null
      }
      const { type, data = {} } = body
      if (type === 'message') {
        validate(data, 'data.')
        interaction.original = respond(interaction, data)
      } else if (type === 'defer') interaction.original = respond(interaction, data, 'deferred')
      else {
        const message = findMessageOfComponent(event)
        if (type === 'update') edit(message, data, 'data.')
        interaction.original = message
      }
      interaction.state = type === 'defer' ? 'deferred' : 'answered'
      return type === 'deferred_update' ? null : structuredClone(interaction.original)
    },
    async followUp(event, data) {
      const interaction = findAnswered(event)
      validate(data, '')
      const { original } = interaction
      // The first follow-up replaces the placeholder, and keeps its id unless only the follow-up is ephemeral
      // (bots/placeholder-id, bots/followup-ephemeral).
      if (interaction.state === 'deferred' && original) {
        interaction.state = 'answered'
        if (original.ephemeral || !data.ephemeral) return structuredClone(edit(original, data))
        remove(original)
        interaction.original = respond(interaction, data)
        return structuredClone(interaction.original)
      }
      const message = respond(interaction, data)
      interaction.followUps.push(message)
      return structuredClone(message)
    },
    async edit(event, id, data) {
      const interaction = findAnswered(event)
      const message = edit(findResponse(interaction, id), data)
      if (message === interaction.original) interaction.state = 'answered'
      return structuredClone(message)
    },
    async delete(event, id) {
      const interaction = findAnswered(event)
      const message = findResponse(interaction, id)
      remove(message)
      if (message === interaction.original) {
        interaction.state = 'answered'
        interaction.original = undefined
      }
      interaction.followUps = interaction.followUps.filter(other => other !== message)
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
      throw new GatehouseError('A test bot does not connect to the gateway.')
    },
  }

  return {
    api,
    messages,
    requests,
    newId,
    stateOf,
    addMessage({ channelId, serverId, author, content }) {
      serverOfChannel.set(channelId, serverId)
      return createMessage(channelId, serverId, { content }, { author })
    },
    open(event) {
      serverOfChannel.set(event.channelId, event.serverId)
      const interaction: TestInteraction = {
        event,
        state: 'pending',
        original: undefined,
        followUps: [],
        modal: undefined,
        isSubmitted: false,
        choices: [],
      }
      interactions.set(event.id, interaction)
      return interaction
    },
  }
}

/** A page of messages in order, newest first. With only `after`, it has the messages next to `after`. */
function selectPage(messages: readonly Message[], { before, after, limit = 50 }: PageQuery = {}): Message[] {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw createError(400, 'validation_failed', 'The query is invalid.', [
      { path: 'limit', code: 'out_of_range', message: 'must be between 1 and 100' },
    ])
  }
  const found = messages.filter(
    ({ id }) =>
      (before === undefined || BigInt(id) < BigInt(before)) &&
      (after === undefined || BigInt(id) > BigInt(after)),
  )
  const isOldest = after !== undefined && before === undefined
  return (isOldest ? found.slice(0, limit) : found.slice(-limit)).reverse()
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
    fieldErrors.push({ path: `${prefix}embeds`, code: 'too_many', message: 'must have at most 10 embeds' })
  }
  const customIds = new Set<string>()
  for (const [index, row] of (components ?? []).entries()) {
    const path = `${prefix}components[${index}].components`
    if (index === 5)
      fieldErrors.push({ path: `${prefix}components`, code: 'too_many', message: 'must have at most 5 rows' })
    if (row.components.length < 1 || row.components.length > 5) {
      fieldErrors.push({ path, code: 'too_many', message: 'must have 1 to 5 buttons' })
    }
    if (row.components.length > 1 && row.components.some(({ type }) => type !== 'button')) {
      const message = 'must contain either buttons or exactly one select menu'
      fieldErrors.push({ path, code: 'conflict', message })
    }
    for (const [position, component] of row.components.entries()) {
      if (component.type === 'button' && component.style === 'link') continue
      if (customIds.has(component.customId)) {
        const message = 'must differ from every other "customId" of the message'
        fieldErrors.push({ path: `${path}[${position}].customId`, code: 'duplicate', message })
      }
      customIds.add(component.customId)
    }
  }
  if (fieldErrors.length > 0) throw createError(400, 'validation_failed', 'The body is invalid.', fieldErrors)
}

/** Autocomplete has its own type of response, and no other. */
function validateType(event: InteractionEvent, type: CallbackBody['type']): void {
  const isSuggestion = type === 'autocomplete'
  if (isSuggestion === (event.type === 'autocomplete')) return
  const message = isSuggestion
    ? 'must not be "autocomplete" for this interaction'
    : 'must be "autocomplete" for this interaction'
  throw createError(400, 'validation_failed', 'The body is invalid.', [
    { path: 'type', code: 'not_allowed', message },
  ])
}

/** Validates the types and names of choices. The service checks the length of the texts too. */
function checkChoices(event: InteractionEvent, choices: readonly Choice[]): Choice[] {
  const fieldErrors: { path: string; code: string; message: string }[] = []
  const type = event.type === 'autocomplete' ? readOptions(event).focused?.type : undefined
  const names = new Set<string>()
  for (const [index, { name, value }] of choices.entries()) {
    const path = `data.choices[${index}]`
    const isValid = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
    if (!isValid) {
      fieldErrors.push({ path: `${path}.value`, code: 'invalid_type', message: `must be of type ${type}` })
    }
    if (name.trim() === '')
      fieldErrors.push({ path: `${path}.name`, code: 'required', message: 'is required' })
    else if (names.has(name)) {
      const message = 'must differ from the names of the other choices'
      fieldErrors.push({ path: `${path}.name`, code: 'duplicate', message })
    }
    names.add(name)
  }
  if (fieldErrors.length > 0) throw createError(400, 'validation_failed', 'The body is invalid.', fieldErrors)
  return structuredClone([...choices])
}

/** Only what a bot may do wrong in its code. The service checks the texts too. */
function validateModal(event: InteractionEvent, { components }: Modal): void {
  const fieldErrors = []
  if (event.type === 'modal_submit') {
    fieldErrors.push({
      path: 'type',
      code: 'not_allowed',
      message: 'must not be "modal" for a submitted modal',
    })
  }
  if (components.length < 1 || components.length > 5) {
    fieldErrors.push({ path: 'data.components', code: 'too_many', message: 'must have 1 to 5 rows' })
  }
  const ids = components.flatMap(row => row.components.map(input => input.customId))
  if (new Set(ids).size < ids.length) {
    const message = 'must differ from every other "customId" of the modal'
    fieldErrors.push({ path: 'data.components', code: 'duplicate', message })
  }
  if (fieldErrors.length > 0) throw createError(400, 'validation_failed', 'The body is invalid.', fieldErrors)
}

function createError(status: number, code: string, message: string, errors?: unknown): Error {
  return createApiError(status, { code, message, ...(errors ? { errors } : {}) }, 'test')
}
