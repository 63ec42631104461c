import { checkCommands } from '@gatehouse/protocol/commands'
import type { BotApi } from './api.ts'
import { commandTypeOf, readOptions, toRegistration } from './commands.ts'
import { GatehouseError } from './errors.ts'
import {
  createError,
  readBody,
  reject,
  rejectMembers,
  rejectViolations,
  requireContentOrEmbed,
  type TestBody,
  validateChoices,
  validateModal,
} from './test-answers.ts'
import type { TestClock } from './test-clock.ts'
import { createTestMessages, testBotUser } from './test-messages.ts'
import { createTestResources, type TestApi, type TestRequest } from './test-resources.ts'
import type {
  CallbackBody,
  Choice,
  InteractionEvent,
  Message,
  Modal,
  OptionType,
  RegisteredCommand,
} from './types.ts'
import { asJson } from './validity.ts'

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
  /** Whether the token of the interaction has expired, and with it its modal and its ephemeral messages. */
  isExpired({ event }: TestInteraction): boolean
  /** The interaction that a message responds to. */
  interactionOf(message: Message): TestInteraction | undefined
}

/** Where a user is if the test does not say it. */
export const testChannelId = '600000000000000001'
export const testServerId = '500000000000000001'

export function createTestService(clock: TestClock, given: TestApi = {}): TestService {
  const interactions = new Map<string, TestInteraction>()
  const requests: TestRequest[] = []
  const serverOfChannel = new Map<string, string | null>([[testChannelId, testServerId]])
  let registered: RegisteredCommand[] = []
  let lastId = 900_000_000_000_000_001n

  function newId(): string {
    lastId += 1n
    return lastId.toString()
  }

  const messages = createTestMessages(clock, newId)
  const iso = () => new Date(clock.now()).toISOString()

  function stateOf({ event, state }: TestInteraction): UseState {
    const deadline =
      state === 'pending' ? event.deadlineAt : state === 'deferred' ? event.expiresAt : undefined
    return deadline !== undefined && clock.now() >= Date.parse(deadline) ? 'timed_out' : state
  }

  const isExpired = ({ event }: TestInteraction) => clock.now() >= Date.parse(event.expiresAt)

  function findInteraction(event: InteractionEvent): TestInteraction {
    const interaction = interactions.get(event.id)
    if (!interaction) throw createError(404, 'not_found', 'Unknown interaction.')
    return interaction
  }

  /** Finds an interaction that has a first response and a valid token. */
  function findAnswered(event: InteractionEvent): TestInteraction {
    const interaction = findInteraction(event)
    if (event.type === 'autocomplete') throw createError(404, 'not_found', 'Unknown interaction.')
    if (isExpired(interaction)) {
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

  function respond({ event }: TestInteraction, body: Partial<TestBody>, state: Message['state'] = 'sent') {
    // A message is no response to autocomplete.
    if (event.type === 'autocomplete') throw new TypeError('The interaction has no message.')
    const { id, type, user } = event
    const name = event.type === 'command' ? event.data.name : event.data.customId
    const commandType = commandTypeOf(event)
    const menu = commandType === undefined || commandType === 'slash' ? {} : { commandType }
    return messages.create({ channelId: event.channelId, serverId: event.serverId }, body, {
      state,
      interaction: { id, type, name, ...menu, user },
      ...(body.isEphemeral ? { ephemeral: true as const } : {}),
    })
  }

  function findResponse(interaction: TestInteraction, id: string): Message {
    const { original, followUps } = interaction
    const found = id === 'original' ? original : [original, ...followUps].find(message => message?.id === id)
    if (!found || !messages.all.includes(found)) throw createError(404, 'not_found', 'Unknown message.')
    return found
  }

  /** Throws 404, 400, 410 or 409 unless the interaction accepts this first response. */
  function assertAcceptsCallback({ event, state }: TestInteraction, type: CallbackBody['type']): void {
    const lateMs = clock.now() - Date.parse(event.deadlineAt)
    const isAutocomplete = event.type === 'autocomplete'
    if (type === 'autocomplete' && !isAutocomplete) {
      reject(['type'], 'not_allowed', 'must not be "autocomplete" for this interaction')
    }
    if (type !== 'autocomplete' && isAutocomplete) {
      // The service does not store these interactions.
      if (lateMs >= 0) throw createError(404, 'not_found', 'Unknown interaction.')
      reject(['type'], 'not_allowed', 'must be "autocomplete" for this interaction')
    }
    if (lateMs >= 0 && (state === 'pending' || isAutocomplete)) {
      const late = `the response arrived ${lateMs} ms after the deadline`
      throw createError(410, 'interaction_timed_out', `The interaction timed out: ${late}.`)
    }
    if (state === 'pending') return
    throw createError(409, 'interaction_already_answered', 'The interaction already has a first response.')
  }

  /** The id of the message with the component that was used, or that opened the modal. */
  function requireSourceId(event: InteractionEvent): string {
    if ('message' in event && event.message) return event.message.id
    return reject(['type'], 'not_allowed', 'is only for components and the modals that they open')
  }

  /** Makes the first response. Returns the created or edited message. */
  function applyCallback(interaction: TestInteraction, body: CallbackBody, data: TestBody): Message | null {
    const { event } = interaction
    switch (body.type) {
      case 'autocomplete':
        validateChoices(body.data.choices, focusedType(event))
        interaction.choices = [...body.data.choices]
        return null
      case 'modal':
        if (event.type === 'modal_submit') {
          reject(['type'], 'not_allowed', 'must not be "modal" for a submitted modal')
        }
        interaction.modal = body.data
        return null
      case 'message':
        requireContentOrEmbed(data, data.prefix)
        interaction.original = respond(interaction, data)
        return interaction.original
      case 'defer':
        rejectMembers(body, ['ephemeral', 'flags'])
        interaction.original = respond(interaction, { isEphemeral: data.isEphemeral }, 'deferred')
        return interaction.original
      case 'update': {
        const message = messages.find(requireSourceId(event))
        if (data.isEphemeral && !message.ephemeral) {
          const rule = 'must not be set: a stored message cannot become ephemeral'
          reject(['data', 'ephemeral'], 'not_allowed', rule)
        }
        interaction.original = messages.edit(message, data)
        return interaction.original
      }
      case 'deferred_update': {
        const sourceId = event.type === 'modal_submit' ? event.message?.id : requireSourceId(event)
        rejectMembers(body, [])
        interaction.original = messages.all.find(({ id }) => id === sourceId)
        return null
      }
    }
  }

  const withReason = (reason?: string) =>
    createTestResources(
      given,
      {
        users: { me: async () => ({ ...testBotUser, bot: true }) },
        messages: {
          async create(channelId, message) {
            const body = readBody('message', message)
            requireContentOrEmbed(body, '')
            const serverId = serverOfChannel.get(channelId) ?? null
            return structuredClone(messages.create({ channelId, serverId }, body))
          },
          async update(_channelId, messageId, given) {
            const body = readBody('edit', given)
            const message = messages.find(messageId)
            if (message.author.id !== testBotUser.id) {
              throw createError(403, 'missing_permission', 'Only the author can edit a message.')
            }
            if (message.state !== 'sent') {
              throw createError(409, 'interaction_not_answered', 'A placeholder cannot be edited.')
            }
            return structuredClone(messages.edit(message, body))
          },
          get: async (_channelId, messageId) => structuredClone(messages.find(messageId)),
          list: async (channelId, page) => structuredClone(messages.list(channelId, page)),
          delete: async (_channelId, messageId) => messages.remove(messages.find(messageId)),
        },
        directMessages: {
          open: async () => ({
            ...{ id: newId(), serverId: null, type: 'dm', name: null, topic: null },
            ...{ position: 0, parentId: null, slowMode: 0, permissionOverwrites: [] },
          }),
        },
      },
      request => requests.push({ ...request, ...(reason === undefined ? {} : { reason }) }),
    )
  const resources = withReason()

  const api: BotApi = {
    ...resources,
    withReason,
    sendMessage: resources.messages.create,
    editMessage: resources.messages.update,
    deleteMessage: resources.messages.delete,
    openDirectMessage: recipientId => resources.directMessages.open({ recipientId }),
    async callback(event, given) {
      const body = asJson(given)
      const data = readCallbackData(body)
      const interaction = findInteraction(event)
      assertAcceptsCallback(interaction, body.type)
      const message = applyCallback(interaction, body, data)
      interaction.state = body.type === 'defer' ? 'deferred' : 'answered'
      return structuredClone(message)
    },
    async followUp(event, data) {
      const body = readBody('response', data)
      const interaction = findAnswered(event)
      requireContentOrEmbed(body, '')
      const { original } = interaction
      // The first follow-up replaces the placeholder, and keeps its id unless only the follow-up is ephemeral
      // (bots/placeholder-id, bots/followup-ephemeral).
      if (interaction.state === 'deferred' && original) {
        interaction.state = 'answered'
        if (original.ephemeral || !body.isEphemeral) return structuredClone(messages.edit(original, body))
        messages.remove(original)
        interaction.original = respond(interaction, body)
        return structuredClone(interaction.original)
      }
      const message = respond(interaction, body)
      interaction.followUps.push(message)
      return structuredClone(message)
    },
    async edit(event, id, data) {
      const body = readBody('edit', data)
      const interaction = findAnswered(event)
      const message = messages.edit(findResponse(interaction, id), body)
      if (message === interaction.original) interaction.state = 'answered'
      return structuredClone(message)
    },
    async delete(event, id) {
      const interaction = findAnswered(event)
      const message = findResponse(interaction, id)
      messages.remove(message)
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
      const { commands, violations, overLimit } = checkCommands(asJson(definitions.map(toRegistration)))
      if (overLimit) throw createError(400, 'command_limit', 'The set has too many commands.')
      rejectViolations(violations)
      registered = commands.map(command => ({
        id: newId(),
        applicationId: testBotUser.id,
        ...command,
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
    messages: messages.all,
    requests,
    newId,
    stateOf,
    isExpired,
    interactionOf: message => interactions.get(message.interaction?.id ?? ''),
    addMessage({ channelId, serverId, author, content }) {
      serverOfChannel.set(channelId, serverId)
      return messages.create({ channelId, serverId }, { content }, { author })
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

/** Throws 400 for what the service checks before it looks for the interaction. */
function readCallbackData(body: CallbackBody): TestBody {
  switch (body.type) {
    case 'modal':
      validateModal(body.data)
      return readBody('response', {})
    case 'autocomplete':
      rejectMembers(body, ['choices'])
      return readBody('response', {})
    case 'message':
    case 'defer':
    case 'update':
    case 'deferred_update':
      return readBody('response', body.data ?? {}, 'data')
  }
}

/** The type of the option in which the user types. */
function focusedType(event: InteractionEvent): OptionType {
  const { focused } = event.type === 'autocomplete' ? readOptions(event) : {}
  if (!focused) throw new TypeError('The event has no option with `focused`.')
  return focused.type
}
