import type { Bot, BotEvents } from './bot.ts'
import type {
  AnyCommandDefinition,
  CommandDefinition,
  CommandOptionDefinition,
  OptionDefinition,
  SubcommandDefinition,
  SubcommandGroupDefinition,
} from './commands.ts'
import { createTestClock } from './test-clock.ts'
import type { TestApi, TestRequest } from './test-resources.ts'
import {
  createTestService,
  type TestInteraction,
  testChannelId,
  testServerId,
  type UseState,
} from './test-service.ts'
import type {
  Choice,
  CommandInteraction,
  InteractionEvent,
  InteractionOption,
  MenuCommandType,
  Message,
  Modal,
  ModalInteraction,
  NamedEntity,
  OptionType,
  OptionValue,
  Select,
  SelectInteraction,
  User,
} from './types.ts'

/** The user and the channel of an interaction. Default: a test user in a channel of a server. */
export interface From {
  user?: Partial<User>
  channelId?: string
  /** Null for a button in a direct message. */
  serverId?: string | null
}

/** A user, role or channel that the bot receives in `ctx.resolved`. A role or channel has a `name`. */
export type SelectedEntity = { id: string } & Partial<User & NamedEntity>

/** The option in which a user types, the text so far (default: none), and the other options that the user has entered. */
export interface TypedOption {
  focused: string
  value?: string
  options?: Readonly<Record<string, OptionValue>>
}

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

/** A bot without network access, with a test clock. */
export interface TestBot {
  /** Uses a command, or a subcommand by its full name: `config role add`. Throws if the service would reject the options. */
  command(name: string, options?: Readonly<Record<string, OptionValue>>, from?: From): Use
  /**
   * Types in an option with `autocomplete` of a command or subcommand: `value` in the option `focused`, after `options`. Resolves
   * to the choices that the user gets, when the handler ends.
   */
  autocomplete(name: string, typed: TypedOption, from?: From): Promise<Choice[]>
  /** Chooses a command in the menu of a user; default: the test user. */
  userCommand(name: string, target?: Partial<User>, from?: From): Use
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
  /** Advances the clock and runs the timers that are due. */
  advance(ms: number): Promise<void>
  now(): number
  /** The messages of all channels in order, including the placeholders of `defer`. */
  readonly messages: readonly Message[]
  /** The calls of the functions of `api` that are grouped by resource, such as `bans.create`, in order. */
  readonly requests: readonly TestRequest[]
}

export interface TestBotOptions {
  /** The results of functions of `api`: `{ members: { get: async () => … } }`. Without one, a function with a result throws. */
  api?: TestApi
}

const testUser: User = {
  id: '800000000000000001',
  username: 'ana',
  displayName: 'Ana',
  avatar: '/avatars/ana',
}

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

  /** What the events of a command and of its autocomplete have in common. */
  function createCommandEvent(
    name: string,
    from: From,
    check: (options: OptionDefinition[]) => InteractionOption[],
  ) {
    const { command, options, toEventOptions } = selectOptions(bot.commands, name)
    const data = { id: '400000000000000001', name: command, options: toEventOptions(check(options)) }
    return { ...createEvent(from), serverId: from.serverId ?? testServerId, data }
  }

  return {
    command(name, values = {}, from = {}) {
      const event = createCommandEvent(name, from, options => checkOptions(name, options, values))
      return deliver({ ...event, type: 'command' })
    },
    async autocomplete(name, { focused, value = '', options: values = {} }, from = {}) {
      const event = createCommandEvent(name, from, options =>
        checkTyped(name, options, focused, value, values),
      )
      const interaction = service.open({ ...event, expiresAt: event.deadlineAt, type: 'autocomplete' })
      await bot.handle(interaction.event, environment)
      return interaction.choices
    },
    userCommand(name, target = {}, from = {}) {
      requireMenuCommand(bot.commands, 'user', name)
      const user = { ...testUser, ...target }
      const serverId = from.serverId ?? testServerId
      const data = { ...menuData(name), type: 'user', targetId: user.id, resolved: { user } } as const
      return deliver({ ...createEvent(from), type: 'command', serverId, data })
    },
    messageCommand(name, target, from = {}) {
      if (!target) throw new TypeError('messageCommand: the message is undefined.')
      requireMenuCommand(bot.commands, 'message', name)
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
      return deliver({ ...createComponentEvent(message, from), data: toSelectData(menu, name, values) })
    },
    submit(use, fields = {}) {
      const interaction = interactions.get(use)
      if (!interaction?.modal) throw new TypeError('submit: the bot has not opened a modal.')
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
      await bot.emit?.('message', structuredClone(message), { api: service.api })
      return message
    },
    async emit(name, value) {
      await bot.emit?.(name, value, { api: service.api })
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

/** Validates values as the service does before it dispatches the interaction. */
function toSelectData(
  menu: Select,
  name: string,
  given: readonly (string | SelectedEntity)[],
): SelectInteraction['data'] {
  const { customId, type: componentType, minValues = 1, maxValues = 1 } = menu
  const entities = given.map(value => (typeof value === 'string' ? { id: value } : value))
  const values = entities.map(({ id }) => {
    if (menu.type !== 'string_select') return id
    const option = menu.options.find(({ label, value }) => value === id || label === id)
    if (!option) throw new TypeError(`"${name}" has no option "${id}".`)
    return option.value
  })
  if (values.length < minValues) throw new TypeError(`"${name}" needs at least ${minValues} values.`)
  if (values.length > maxValues) throw new TypeError(`"${name}" accepts at most ${maxValues} values.`)
  if (new Set(values).size < values.length) throw new TypeError(`"${name}": a value is given twice.`)
  const data = { customId, componentType, values }
  if (menu.type === 'string_select') return data
  const byId = <Entity>(toEntity: (entity: SelectedEntity) => Entity) =>
    Object.fromEntries(entities.map(entity => [entity.id, toEntity(entity)]))
  if (menu.type === 'user_select') {
    const users = byId(({ id, ...more }) => ({ ...testUser, username: `user_${id}`, ...more, id }))
    return { ...data, resolved: { users } }
  }
  const named = byId(({ id, name: entityName = `name-${id}` }) => ({ id, name: entityName }))
  return { ...data, resolved: menu.type === 'role_select' ? { roles: named } : { channels: named } }
}

function menuData(name: string): { id: string; name: string; options: [] } {
  return { id: '400000000000000001', name, options: [] }
}

function requireMenuCommand(
  commands: readonly AnyCommandDefinition[],
  type: MenuCommandType,
  name: string,
): void {
  if (commands.some(other => other.type === type && other.name.trim() === name)) return
  throw new TypeError(`The bot has no ${type} command "${name}".`)
}

function isSlashCommand(definition: AnyCommandDefinition): definition is CommandDefinition {
  return definition.type === undefined
}

/** Validates texts as the service does before it dispatches the interaction. */
function toSubmittedFields(
  { title, components }: Modal,
  texts: Readonly<Record<string, string>>,
): ModalInteraction['data']['components'] {
  const inputs = components.flatMap(row => row.components)
  for (const name of Object.keys(texts)) {
    if (!inputs.some(({ customId }) => customId === name)) {
      throw new TypeError(`"${title}" has no field "${name}".`)
    }
  }
  return inputs.map(({ type, customId, style, required = true, minLength = 0, maxLength = 4000 }) => {
    const value = (texts[customId] ?? '').trim()
    const fail = (problem: string) => new TypeError(`"${title}": "${customId}" ${problem}.`)
    const { length } = [...value]
    if (length === 0 && required) throw fail('is required')
    if (length > 0 && length < minLength) throw fail(`must be at least ${minLength} characters long`)
    if (length > maxLength) throw fail(`must be at most ${maxLength} characters long`)
    if (style === 'short' && value.includes('\n')) throw fail('must not contain line breaks')
    return { type, customId, value }
  })
}

/** Finds the options of a command or subcommand, and where the event has them. */
function selectOptions(commands: readonly AnyCommandDefinition[], name: string) {
  const [command = '', ...path] = name.split(' ')
  const definition = commands.filter(isSlashCommand).find(other => other.name === command)
  const unknown = () => new TypeError(`The bot has no command "${name}".`)
  if (!definition) throw unknown()
  let options: readonly CommandOptionDefinition[] = definition.options ?? []
  const parents: (SubcommandDefinition | SubcommandGroupDefinition)[] = []
  for (const part of path) {
    const parent = options.filter(isParent).find(option => option.name === part)
    if (!parent) throw unknown()
    parents.push(parent)
    options = parent.options ?? []
  }
  if (options.some(isParent)) throw new TypeError(`/${name} needs a subcommand.`)
  return {
    command,
    options: options.flatMap(option => (isParent(option) ? [] : [option])),
    toEventOptions: (values: InteractionOption[]) =>
      parents.reduceRight<EventOptions>(
        // A group contains subcommands, and a subcommand values, as in the definition.
        (inner, parent) => [{ name: parent.name, type: parent.type, options: inner }] as EventOptions,
        values,
      ),
  }
}

type EventOptions = CommandInteraction['data']['options']

function isParent(
  option: CommandOptionDefinition,
): option is SubcommandDefinition | SubcommandGroupDefinition {
  return option.type === 'subcommand' || option.type === 'subcommand_group'
}

/** Validates options as the service does before it dispatches the interaction. */
function checkOptions(
  command: string,
  options: readonly OptionDefinition[],
  values: Readonly<Record<string, OptionValue>>,
): InteractionOption[] {
  for (const name of Object.keys(values)) {
    if (!options.some(option => option.name === name)) {
      throw new TypeError(`/${command} has no option "${name}".`)
    }
  }
  return options.flatMap(option => {
    const value = values[option.name]
    if (value === undefined) {
      if (option.required) throw new TypeError(`/${command}: "${option.name}" is required.`)
      return []
    }
    const expected = findExpectation(option, value)
    if (expected) throw new TypeError(`/${command}: "${option.name}" must be ${expected}.`)
    return [{ name: option.name, type: option.type, value }]
  })
}

/** As `checkOptions`, while the user types: required options may be missing, and the text is not validated. */
function checkTyped(
  command: string,
  options: readonly OptionDefinition[],
  focused: string,
  value: string,
  values: Readonly<Record<string, OptionValue>>,
): InteractionOption[] {
  const option = options.find(({ name }) => name === focused)
  if (!option?.autocomplete) {
    throw new TypeError(`/${command} has no option "${focused}" with autocomplete.`)
  }
  const others = options.filter(other => other !== option).map(other => ({ ...other, required: false }))
  return [
    ...checkOptions(command, others, values),
    { name: focused, type: option.type, value, focused: true },
  ]
}

const jsTypes: Readonly<Record<OptionType, 'string' | 'number' | 'boolean'>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  user: 'string',
  channel: 'string',
  role: 'string',
}

function findExpectation(option: OptionDefinition, value: OptionValue): string | undefined {
  const { type, choices, min, max, minLength, maxLength } = option
  if (typeof value !== jsTypes[type]) return `of type ${type}`
  if (type === 'integer' && !Number.isSafeInteger(value)) return 'an integer'
  if (choices && choices.length > 0 && !choices.some(choice => choice.value === value)) {
    return 'one of the choices'
  }
  const length = typeof value === 'string' ? [...value].length : 0
  if (minLength !== undefined && length < minLength) return `at least ${minLength} characters long`
  if (maxLength !== undefined && length > maxLength) return `at most ${maxLength} characters long`
  if (typeof value === 'number' && min !== undefined && value < min) return `at least ${min}`
  if (typeof value === 'number' && max !== undefined && value > max) return `at most ${max}`
  return undefined
}
