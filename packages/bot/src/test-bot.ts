import { checkCommands } from '@gatehouse/protocol/commands'
import type { EnteredOption } from '@gatehouse/protocol/interactions'
import { checkFields } from '@gatehouse/protocol/modals'
import { checkOptions, toEventOptions } from '@gatehouse/protocol/option-values'
import { optionReferences, selectReferences } from '@gatehouse/protocol/references'
import { checkSelectValues } from '@gatehouse/protocol/select-values'
import type { Bot, BotEvents } from './bot.ts'
import { createHandlerClock } from './clock.ts'
import { toRegistration } from './commands.ts'
import { rejectViolations } from './test-answers.ts'
import { createTestClock } from './test-clock.ts'
import { createTestMember, resolveTestEntities, testUser } from './test-entities.ts'
import type { TestApi, TestRequest } from './test-resources.ts'
import {
  createTestService,
  type TestInteraction,
  testChannelId,
  testServerId,
  type UseState,
} from './test-service.ts'
import type {
  AnyUser,
  Choice,
  InteractionEvent,
  Message,
  Modal,
  ModalInteraction,
  OptionValue,
  RegisteredCommand,
  Select,
  SelectedEntity,
  SelectInteraction,
  User,
} from './types.ts'
import { asJson, assertValid } from './validity.ts'

/** The user and the channel of an interaction. Default: a test user in a channel of a server. */
export interface From {
  user?: Partial<User>
  channelId?: string
  /** Null for a button in a direct message. */
  serverId?: string | null
}

/**
 * The option in which a user types, the text so far (default: none), and the other options that the user has entered.
 */
export interface TypedOption {
  focused: string
  value?: string
  options?: TestOptions
}

/** The values of options by name. For a user, channel or role it is the id, or an entity with this id. */
export type TestOptions = Readonly<Record<string, OptionValue | SelectedEntity>>

/** One use of a command or a component. */
export interface Use {
  /** `timed_out` if there is no first response within 3 seconds, or none within 15 minutes after `defer`. */
  readonly state: UseState
  /** The message that the first response created or updated. */
  readonly reply: Message | undefined
  readonly followUps: readonly Message[]
  /** The modal that the first response opened. */
  readonly modal: Modal | undefined
  /** Resolves when the handler ends. */
  readonly ended: Promise<void>
}

/**
 * A bot without network access, with a test clock: `ctx.now`, `ctx.wait`, the waits of handlers, the deadlines of
 * responses and the life of tokens, modals and ephemeral messages follow `advance`. Timers and `Date` of the runtime do
 * not.
 */
export interface TestBot {
  /**
   * Uses a command, or a subcommand by its full name: `config role add`. Throws if the service would reject the
   * options.
   */
  command(name: string, options?: TestOptions, from?: From): Use
  /**
   * Types in an option with `autocomplete` of a command or subcommand: `value` in the option `focused`, after
   * `options`. Resolves to the choices that the user gets, when the handler ends.
   */
  autocomplete(name: string, typed: TypedOption, from?: From): Promise<Choice[]>
  /** Chooses a command in the menu of a user; default: the test user. */
  userCommand(name: string, target?: Partial<AnyUser> & Pick<SelectedEntity, 'member'>, from?: From): Use
  /** Chooses a command in the menu of a message. */
  messageCommand(name: string, target: Message | undefined, from?: From): Use
  /** Presses the button with this label or customId under a message. */
  press(message: Message | undefined, button: string, from?: From): Use
  /**
   * Selects values in the menu with this placeholder or customId under a message: options by their label or value, or
   * users, roles and channels by their id. Throws if the service would reject the values.
   */
  select(
    message: Message | undefined,
    menu: string,
    values: readonly (string | SelectedEntity)[],
    from?: From,
  ): Use
  /** Submits the modal of a use, once, with a text for each field. Throws if the service would reject the texts. */
  submit(use: Use, fields?: Readonly<Record<string, string>>): Use
  /** A user sends a message in a channel. Resolves to it when the listeners of `message` have ended. */
  message(content: string, from?: From): Promise<Message>
  /** Calls the listeners of an event. Resolves when they have ended. */
  emit<Name extends keyof BotEvents>(name: Name, value: BotEvents[Name]): Promise<void>
  /** Passes an event to the bot unchanged, for example a late or a repeated one. */
  deliver(event: InteractionEvent): Use
  /** Advances the clock and runs the timers that are due, in order. */
  advance(ms: number): Promise<void>
  now(): number
  /** The messages of all channels in order, including the placeholders of `defer`. */
  readonly messages: readonly Message[]
  /** The calls of the functions of `api` that are grouped by resource, such as `bans.create`, in order. */
  readonly requests: readonly TestRequest[]
}

export interface TestBotOptions {
  /**
   * The results of functions of `api`: `{ members: { get: async () => … } }`. Without one, a function with a result
   * throws.
   */
  api?: TestApi
}

/** The ids in a test need not have the form of the service. */
const acceptsAnyId = () => true

/**
 * Runs `bot` against a service in memory that enforces the order and the deadlines of responses. Uses no
 * network.
 */
export function createTestBot(
  bot: Pick<Bot, 'handle' | 'commands'> & Partial<Pick<Bot, 'emit'>>,
  options: TestBotOptions = {},
): TestBot {
  const clock = createTestClock()
  const service = createTestService(clock, options.api)
  const environment = { api: service.api, clock: clock.now, timers: clock.timers }
  const eventContext = { api: service.api, ...createHandlerClock(environment) }

  function createEvent(from: From) {
    const at = (ms: number) => new Date(clock.now() + ms).toISOString()
    return {
      version: 1,
      id: service.newId(),
      token: 'test',
      applicationId: '700000000000000001',
      channelId: from.channelId ?? testChannelId,
      user: { ...testUser, ...from.user },
      createdAt: at(0),
      deadlineAt: at(3000),
      expiresAt: at(15 * 60_000),
    } as const
  }

  const interactions = new WeakMap<Use, TestInteraction>()

  function createComponentEvent(message: Message, from: From) {
    const interaction = service.interactionOf(message)
    if (message.ephemeral && interaction && service.isExpired(interaction)) {
      throw new TypeError('The ephemeral message expired 15 minutes after its interaction.')
    }
    const { id, content, components, channelId } = message
    return {
      ...createEvent({ channelId, ...from }),
      type: 'component',
      serverId: from.serverId === undefined ? message.serverId : from.serverId,
      message: structuredClone({ id, content, components }),
    } as const
  }

  function deliver(event: InteractionEvent): Use {
    const interaction = service.open(event)
    return useOf(interaction, bot.handle(event, environment))
  }

  function useOf(interaction: TestInteraction, ended: Promise<void>): Use {
    const use: Use = {
      get state() {
        return service.stateOf(interaction)
      },
      get reply() {
        return interaction.original
      },
      get followUps() {
        return interaction.followUps
      },
      get modal() {
        return interaction.modal
      },
      ended,
    }
    interactions.set(use, interaction)
    return use
  }

  /** Throws unless the service accepts the commands of the bot, and this is one of them. */
  function requireCommand(type: RegisteredCommand['type'], name: string) {
    const { commands, violations } = checkCommands(asJson(bot.commands.map(toRegistration)))
    assertValid('createTestBot', violations)
    const found = commands.find(command => command.type === type && command.name === name.normalize('NFC'))
    const kind = type === 'slash' ? 'command' : `${type} command`
    if (!found) throw new TypeError(`The bot has no ${kind} "${name}".`)
    return found
  }

  /** What the events of a command and of its autocomplete have in common. */
  function createCommandEvent(
    fullName: string,
    values: Readonly<Record<string, OptionValue | SelectedEntity | undefined>>,
    from: From,
    focused?: string,
  ) {
    const [first = '', ...subcommand] = fullName.split(' ')
    const { name, options } = requireCommand('slash', first)
    const entities = Object.values(values).filter(value => typeof value === 'object')
    const given: EnteredOption[] = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value: typeof value === 'object' ? value.id : value }],
    )
    const checked = checkOptions(
      options,
      subcommand.reduceRight((inner, name) => [{ name, options: inner }], given),
      focused,
      acceptsAnyId,
    )
    rejectViolations(checked.violations)
    const serverId = from.serverId ?? testServerId
    const resolved = resolveTestEntities(optionReferences(checked.values), entities, serverId)
    const data = { ...menuData(name), options: toEventOptions(checked), ...(resolved && { resolved }) }
    return { ...createEvent(from), serverId, data }
  }

  return {
    command(name, values = {}, from = {}) {
      return deliver({ ...createCommandEvent(name, values, from), type: 'command' })
    },
    async autocomplete(name, { focused, value = '', options: values = {} }, from = {}) {
      const event = createCommandEvent(name, { ...values, [focused]: value }, from, focused)
      const interaction = service.open({ ...event, expiresAt: event.deadlineAt, type: 'autocomplete' })
      await bot.handle(interaction.event, environment)
      return interaction.choices
    },
    userCommand(name, { member, ...target } = {}, from = {}) {
      requireCommand('user', name)
      const user = { ...testUser, bot: false, ...target }
      const serverId = from.serverId ?? testServerId
      const resolved = { user, member: createTestMember(member) }
      const data = { ...menuData(name), type: 'user', targetId: user.id, resolved } as const
      return deliver({ ...createEvent(from), type: 'command', serverId, data })
    },
    messageCommand(name, target, from = {}) {
      if (!target) throw new TypeError('messageCommand: the message is undefined.')
      requireCommand('message', name)
      const message = structuredClone(target)
      const serverId = from.serverId ?? message.serverId ?? testServerId
      const data = {
        ...menuData(name),
        type: 'message',
        targetId: message.id,
        resolved: { message },
      } as const
      return deliver({
        ...createEvent({ channelId: message.channelId, ...from }),
        type: 'command',
        serverId,
        data,
      })
    },
    press(message, name, from = {}) {
      if (!message) throw new TypeError('press: the message is undefined.')
      const customId = findButton(message, name)
      return deliver({
        ...createComponentEvent(message, from),
        data: { customId, componentType: 'button' },
      })
    },
    select(message, name, values, from = {}) {
      if (!message) throw new TypeError('select: the message is undefined.')
      const menu = findSelect(message, name)
      const event = createComponentEvent(message, from)
      return deliver({ ...event, data: toSelectData(menu, values, event.serverId) })
    },
    submit(use, fields = {}) {
      const interaction = interactions.get(use)
      if (!interaction?.modal) throw new TypeError('submit: the bot has not opened a modal.')
      if (service.isExpired(interaction)) {
        throw new TypeError('submit: the modal expired 15 minutes after the interaction that opened it.')
      }
      if (interaction.isSubmitted) throw new TypeError('submit: the modal was submitted before.')
      const { event, modal } = interaction
      const data = { customId: modal.customId, components: toSubmittedFields(modal, fields) }
      interaction.isSubmitted = true
      const { user, channelId, serverId } = event
      return deliver({
        ...createEvent({ user, channelId }),
        type: 'modal_submit',
        serverId,
        ...(event.type === 'component' ? { message: event.message } : {}),
        data,
      })
    },
    async message(content, from = {}) {
      const author = { ...testUser, ...from.user, bot: false }
      const { channelId = testChannelId, serverId = testServerId } = from
      const message = service.addMessage({ channelId, serverId, author, content })
      await bot.emit?.('message', structuredClone(message), eventContext)
      return message
    },
    async emit(name, value) {
      await bot.emit?.(name, value, eventContext)
    },
    deliver,
    advance: clock.advance,
    now: clock.now,
    messages: service.messages,
    requests: service.requests,
  }
}

function findButton(message: Message, name: string): string {
  const buttons = message.components.flatMap(row => row.components)
  for (const button of buttons) {
    if (button.type !== 'button') continue
    if (button.style === 'link' || (button.label !== name && button.customId !== name)) continue
    if (button.disabled) throw new TypeError(`The button "${name}" is disabled.`)
    return button.customId
  }
  throw new TypeError(`The message has no button "${name}".`)
}

function findSelect(message: Message, name: string): Select {
  for (const menu of message.components.flatMap(row => row.components)) {
    if (menu.type === 'button' || (menu.placeholder !== name && menu.customId !== name)) continue
    if (menu.disabled) throw new TypeError(`The select menu "${name}" is disabled.`)
    return menu
  }
  throw new TypeError(`The message has no select menu "${name}".`)
}

/** Throws if the service would reject the values. */
function toSelectData(
  menu: Select,
  given: readonly (string | SelectedEntity)[],
  serverId: string | null,
): SelectInteraction['data'] {
  const { customId, type: componentType } = menu
  const entities = given.map(value => (typeof value === 'string' ? { id: value } : value))
  const selected = entities.map(({ id }) => {
    const options = menu.type === 'string_select' ? menu.options : []
    return options.find(({ label, value }) => value === id || label === id)?.value ?? id
  })
  const { values, violations } = checkSelectValues(menu, selected, acceptsAnyId)
  rejectViolations(violations)
  const data = { customId, componentType, values }
  if (menu.type === 'string_select') return data
  const resolved = resolveTestEntities(selectReferences(menu.type, values), entities, serverId)
  return { ...data, ...(resolved && { resolved }) }
}

function menuData(name: string): { id: string; name: string; options: [] } {
  return { id: '400000000000000001', name, options: [] }
}

/** Throws if the service would reject the texts. */
function toSubmittedFields(
  modal: Modal,
  texts: Readonly<Record<string, string>>,
): ModalInteraction['data']['components'] {
  const given = Object.entries(texts).map(([customId, value]) => ({ customId, value }))
  const { fields, violations } = checkFields(modal, given)
  rejectViolations(violations)
  return fields.map(field => ({ type: 'text_input', ...field }))
}
