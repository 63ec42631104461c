import { type BotApi, createApi } from './api.ts'
import type { AutocompleteArguments } from './autocomplete.ts'
import {
  type Clock,
  createHandlerClock,
  type HandlerClock,
  systemClock,
  systemTimers,
  type Timers,
  wait,
} from './clock.ts'
import {
  type AnyCommandDefinition,
  type CommandDefinition,
  isRegistered,
  listRemoved,
  type MenuCommandDefinition,
  readCommandSet,
} from './commands.ts'
import type {
  ButtonContext,
  CommandContextOf,
  MessageCommandContext,
  ModalContext,
  SelectContext,
  UserCommandContext,
} from './contexts.ts'
import type { ParamsOf } from './custom-ids.ts'
import { createEndpoint } from './endpoint.ts'
import { createApiError, GatehouseError, TokenError } from './errors.ts'
import { createGateway, type GatewayEvent } from './gateway.ts'
import { createListeners } from './listeners.ts'
import { parseUrl } from './parse-url.ts'
import { createRest } from './rest.ts'
import { createRouter, type Environment, type ErrorHandler, type Middleware } from './router.ts'
import { checkIntent, type ServerEvents, serverEvents } from './server-events.ts'
import { createServiceClock } from './service-clock.ts'
import type { Intent, InteractionEvent, Modal, Ready, RegisteredCommand, Server, Shard } from './types.ts'

export interface BotOptions {
  /** `gbt_…`, from the developer console. */
  token: string
  /** The base URL of the service: `https://chat.example.org`. */
  url: string
  /**
   * Defers an interaction without a response this many ms before its deadline. Default: 500; false disables
   * it.
   */
  autoDefer?: number | false
  /** The events that the bot receives besides interactions. Default: none. */
  intents?: readonly Intent[]
  /** The servers of this connection, for a bot on very many servers: shard `id` of `count`. Default: all servers. */
  shard?: Shard
  /**
   * A request of `api` waits so many ms for rate limits, then rejects with an ApiError of status 429. Default: 15
   * minutes.
   */
  maxRateLimitWait?: number
  /** The public key of the application, in hex. Only `fetch` needs it. */
  publicKey?: string
  /** Receives errors and warnings. Default: `console.error`. */
  log?: (message: string, error?: unknown) => void
  /** Functions of the runtime. Tests replace them. */
  runtime?: Partial<Runtime>
}

export interface Runtime {
  fetch: typeof fetch
  WebSocket: new (url: string) => WebSocket
  clock: Clock
  timers: Timers
  /** From 0 up to 1. */
  random: () => number
}

export interface BotEvents extends ServerEvents {
  /** Connected, with a new session. */
  ready: Ready
  /** The gateway session was resumed. No event was lost. */
  resumed: undefined
  /** The connection closed, for the reason `why`. The bot reconnects after `retryMs`. */
  disconnected: { why: string; retryMs: number }
  serverAdd: Server
  serverRemove: { id: string }
  /**
   * A fatal error; the bot does not reconnect. Without a listener it is thrown as an uncaught exception,
   * which ends the process.
   */
  stopped: { error: GatehouseError }
}

export interface Bot {
  /**
   * Sets the handler of a command. The definition gives the types of `ctx.options`. For options with `autocomplete`,
   * the last argument has their handlers by name: `{ song: ctx => findSongs(ctx.value) }`.
   */
  command<const Definition extends CommandDefinition>(
    definition: Definition,
    handler: (ctx: CommandContextOf<Definition>) => unknown,
    ...autocomplete: AutocompleteArguments<Definition>
  ): void
  /** Sets the handler of a command in the menu of a user. */
  userCommand(definition: MenuCommandDefinition, handler: (ctx: UserCommandContext) => unknown): void
  /** Sets the handler of a command in the menu of a message. */
  messageCommand(definition: MenuCommandDefinition, handler: (ctx: MessageCommandContext) => unknown): void
  /** `vote:{choice}` matches `vote:tea`, with `ctx.params.choice` `tea`. */
  button<const Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: ButtonContext<ParamsOf<Pattern>>) => unknown,
  ): void
  /** As `button`, for select menus. `ctx.values` has what the user selected. */
  select<const Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: SelectContext<ParamsOf<Pattern>>) => unknown,
  ): void
  /**
   * Sets the handler of a modal, or of those whose `customId` matches a pattern. A modal gives the types of
   * `ctx.fields`.
   */
  modal<const Pattern extends string, const Field extends string = string>(
    modal: Pattern | Modal<Pattern, Field>,
    handler: (ctx: ModalContext<ParamsOf<Pattern>, { readonly [Name in Field]: string }>) => unknown,
  ): void
  /** Runs around every handler that can respond, in the order of the calls. Not around handlers of autocomplete. */
  use(middleware: Middleware): void
  /**
   * Sets the error handler. The default logs the error and sends the user an ephemeral error message. An error in a
   * handler of autocomplete is only logged.
   */
  catch(handler: ErrorHandler): void
  /**
   * Returns a function that removes the listener. Throws if the intent of the event is not in `intents` of createBot.
   */
  on<Name extends keyof BotEvents>(
    name: Name,
    listener: (value: BotEvents[Name], context: EventContext) => unknown,
  ): () => void
  /**
   * Registers the commands, globally or for one server, unless the registered commands are equal already. Removes the
   * others, and logs their names before. Logs and retries if the service is unreachable, and rejects with
   * UnreachableError after at most 30 seconds.
   */
  sync(options?: { serverId?: string }): Promise<{ changed: boolean; commands: RegisteredCommand[] }>
  /** Connects to the gateway. Resolves when the bot is ready. The bot then reconnects automatically. */
  start(): Promise<Ready>
  /**
   * Ends the waits of handlers, also those that begin later, waits for running handlers, up to `graceMs` (default:
   * 3000), then disconnects.
   */
  stop(options?: { graceMs?: number }): Promise<void>
  /** Request handler of an interactions endpoint (Fetch API). Verifies the signature. */
  fetch(request: Request, context?: EndpointContext): Promise<Response>
  /** Handles one event, for `createTestBot` and custom transports. Never rejects. */
  handle(event: InteractionEvent, environment?: Partial<Environment>): Promise<void>
  /** Calls the listeners of an event and waits for them, for `createTestBot` and custom transports. Never rejects. */
  emit<Name extends keyof BotEvents>(
    name: Name,
    value: BotEvents[Name],
    context?: EventContext,
  ): Promise<void>
  readonly api: BotApi
  /** The defined commands. */
  readonly commands: readonly AnyCommandDefinition[]
}

/** What the listener of an event gets with it. */
export interface EventContext extends HandlerClock {
  /** The API of the bot; with `createTestBot`, that of the test. */
  readonly api: BotApi
}

export interface EndpointContext {
  /** Keeps the runtime active after the response (service workers, edge functions). */
  waitUntil?(work: Promise<unknown>): void
}

/** Creates a bot. The token is only in a closure, so that printing the bot does not expose it. */
export function createBot(options: BotOptions): Bot {
  const url = readServiceUrl(options.url)
  if (!options.token)
    throw new TypeError('createBot: `token` is required. Copy it from the developer console.')
  const runtime: Runtime = {
    fetch: (...request) => globalThis.fetch(...request),
    WebSocket: globalThis.WebSocket,
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    ...options.runtime,
  }
  const { timers } = runtime
  const log = options.log ?? logToConsole
  const serviceClock = createServiceClock(runtime.clock)
  const api = createApi(
    createRest({
      ...runtime,
      url,
      authorization: `Bot ${options.token}`,
      maxRateLimitWaitMs: options.maxRateLimitWait,
      onResponse: serviceClock.addResponse,
      onRetry: (name, reason, delayMs) => log(`${name}: ${reason}; trying again in ${delayMs / 1000} s`),
      createError: (status, body, name) =>
        status === 401
          ? new TokenError(`${name}: the service rejected the bot token`)
          : createApiError(status, body, name),
    }),
    timers,
  )
  const environment: Environment = { api, clock: serviceClock.now, timers }
  const eventContext: EventContext = { api, ...createHandlerClock(environment) }
  const intents = options.intents ?? []
  const listeners = createListeners<BotEvents, EventContext>(error =>
    log('an event listener threw an error', error),
  )
  const router = createRouter({
    deferBefore: options.autoDefer ?? 500,
    log,
    onMessage(listener) {
      checkIntent('message', intents)
      return listeners.on('message', listener)
    },
  })
  const endpoint = createEndpoint({
    publicKey: options.publicKey,
    handle: (event, onFirstResponse) => router.handle(event, environment, onFirstResponse),
  })
  let starting: Promise<Ready> | undefined
  let settleStart: { resolve(ready: Ready): void; reject(error: Error): void } | undefined
  let isReady = false

  const gateway = createGateway({
    token: options.token,
    identify: { intents: options.intents, shard: options.shard },
    async findUrl(signal) {
      // Node.js 20 has none. Loaded here, because `openSocket` is synchronous and the first connection always calls
      // this.
      runtime.WebSocket ??= (await import('ws')).WebSocket as unknown as Runtime['WebSocket']
      return api.gatewayUrl(signal)
    },
    openSocket: gatewayUrl => new runtime.WebSocket(gatewayUrl),
    timers,
    random: runtime.random,
    onEvent: event => void handleEvent(event),
    onDisconnect(reason, retryMs) {
      log(`gateway: ${reason}; reconnecting in ${(retryMs / 1000).toFixed(1)} s`)
      void emit('disconnected', { why: reason, retryMs })
    },
    onFatal(error) {
      const wasReady = isReady
      isReady = false
      settleStart?.reject(error)
      starting = undefined
      if (listeners.has('stopped')) void emit('stopped', { error })
      else if (wasReady) {
        queueMicrotask(() => {
          throw error
        })
      }
    },
  })

  function emit<Name extends keyof BotEvents>(name: Name, value: BotEvents[Name]): Promise<void> {
    return listeners.emit(name, value, eventContext)
  }

  function handleEvent({ t, d }: GatewayEvent) {
    switch (t) {
      case 'READY':
        isReady = true
        settleStart?.resolve(d)
        return emit('ready', d)
      case 'RESUMED':
        return emit('resumed', undefined)
      case 'SERVER_ADD':
        return emit('serverAdd', d)
      case 'SERVER_REMOVE':
        return emit('serverRemove', d)
      case 'INTERACTION_CREATE':
        serviceClock.addEvent(d.createdAt)
        return router.handle(d, environment)
      default:
        // The service may be newer than this package. The table has the name of the event with this payload.
        if (Object.hasOwn(serverEvents, t)) return emit(serverEvents[t], d as never)
    }
  }

  return {
    api,
    get commands() {
      return router.definitions
    },
    command: (definition, handler, ...[autocomplete]) => router.command(definition, handler, autocomplete),
    userCommand: router.userCommand,
    messageCommand: router.messageCommand,
    button: router.button,
    select: router.select,
    modal: router.modal,
    use: router.use,
    catch: router.catch,
    on(name, listener) {
      checkIntent(name, intents)
      return listeners.on(name, listener)
    },
    emit: (name, value, context = eventContext) => listeners.emit(name, value, context),

    async sync({ serverId } = {}) {
      const set = readCommandSet('sync', router.definitions)
      const registered = await api.commands(serverId)
      if (isRegistered(set, registered)) return { changed: false, commands: registered }
      const removed = listRemoved(set, registered)
      if (removed.length > 0)
        log(`sync: removes commands that this bot does not define: ${removed.join(', ')}`)
      return { changed: true, commands: await api.putCommands(router.definitions, serverId) }
    },

    start() {
      if (!starting) {
        starting = new Promise((resolve, reject) => {
          settleStart = { resolve, reject }
        })
        router.openWaits()
        gateway.open()
      }
      return starting
    },

    async stop({ graceMs = 3000 } = {}) {
      router.closeWaits()
      const idle = new AbortController()
      await Promise.race([router.idle(), wait(timers, graceMs, idle.signal).catch(() => {})])
      idle.abort()
      gateway.close()
      router.abort()
      isReady = false
      settleStart?.reject(new GatehouseError('the bot was stopped before it was ready'))
      starting = undefined
    },

    fetch: endpoint,
    handle: (event, replaced) => router.handle(event, { ...environment, ...replaced }),
  }
}

function readServiceUrl(text: string): string {
  const url = parseUrl(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new TypeError('createBot: `url` must be an http or https URL, such as https://chat.example.org')
  }
  return text.replace(/\/+$/, '')
}

function logToConsole(message: string, error?: unknown): void {
  if (error === undefined) console.error(message)
  else console.error(message, error)
}
