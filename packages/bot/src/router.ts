import type { BotApi } from './api.ts'
import {
  type AutocompleteHandler,
  type AutocompleteHandlers,
  collectAutocomplete,
  createAutocompleteContext,
  focusedName,
  toChoices,
} from './autocomplete.ts'
import { assertModal } from './builders.ts'
import { type Clock, createHandlerClock, type Timers } from './clock.ts'
import {
  type AnyCommandDefinition,
  assertCommand,
  type CommandDefinition,
  commandTypeOf,
  isMessageCommand,
  isUserCommand,
  type MenuCommandDefinition,
} from './commands.ts'
import {
  type AnyContext,
  type ButtonContext,
  type CommandContext,
  type CommandContextOf,
  createButtonContext,
  createCommandContext,
  createMessageCommandContext,
  createModalContext,
  createSelectContext,
  createUserCommandContext,
  type MessageCommandContext,
  type ModalContext,
  type SelectContext,
  typeFields,
  typeOptions,
  typeParams,
  type UserCommandContext,
  type WaitingResponder,
} from './contexts.ts'
import { compilePattern, type ParamsOf } from './custom-ids.ts'
import { AlreadyAnsweredError, GatehouseError, LateError } from './errors.ts'
import { createResponder, createTimeoutError, type Responder, type UseEvent } from './responder.ts'
import type {
  AutocompleteInteraction,
  Choice,
  InteractionEvent,
  Message,
  Modal,
  SelectInteraction,
} from './types.ts'
import { createWaits, modalSource, type WaitingHandler, type WaitsOptions } from './waits.ts'

/** Runs around every handler that can respond. If it does not call `next`, the handler does not run. */
export type Middleware = (ctx: AnyContext, next: () => Promise<void>) => unknown

/** Receives the error that such a handler or a middleware threw. */
export type ErrorHandler = (error: unknown, ctx: AnyContext) => unknown

/** The dependencies of a handler: of the service, or of a test. */
export interface Environment {
  api: BotApi
  /** The service's time, which deadlines are compared with. */
  clock: Clock
  timers: Timers
}

export interface RouterOptions extends WaitsOptions {
  deferBefore: number | false
  log: (message: string, error?: unknown) => void
}

export interface Router {
  readonly definitions: readonly AnyCommandDefinition[]
  command<Definition extends CommandDefinition>(
    definition: Definition,
    handler: (ctx: CommandContextOf<Definition>) => unknown,
    autocomplete?: AutocompleteHandlers,
  ): void
  userCommand(definition: MenuCommandDefinition, handler: (ctx: UserCommandContext) => unknown): void
  messageCommand(definition: MenuCommandDefinition, handler: (ctx: MessageCommandContext) => unknown): void
  button<Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: ButtonContext<ParamsOf<Pattern>>) => unknown,
  ): void
  select<Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: SelectContext<ParamsOf<Pattern>>) => unknown,
  ): void
  modal<Pattern extends string, Field extends string>(
    modal: Pattern | Modal<Pattern, Field>,
    handler: (ctx: ModalContext<ParamsOf<Pattern>, { readonly [Name in Field]: string }>) => unknown,
  ): void
  use(middleware: Middleware): void
  catch(handler: ErrorHandler): void
  /**
   * Resolves when the handler ends. Never rejects. Calls `onFirstResponse` when the service has accepted the first
   * response to a command, component or modal; not for autocomplete, or if the handler ends without a response.
   */
  handle(event: InteractionEvent, environment: Environment, onFirstResponse?: () => void): Promise<void>
  /** Allows waits again after `closeWaits`. */
  openWaits(): void
  /** Ends the waits of the handlers, for example for a button. A new one ends at once. */
  closeWaits(): void
  /** Resolves when the running handlers have ended. */
  idle(): Promise<void>
  /** Aborts the signals of all running handlers. They can no longer respond. */
  abort(): void
}

/** A newer service may send events of other types. */
const handledTypes: Readonly<Record<InteractionEvent['type'], true>> = {
  command: true,
  component: true,
  modal_submit: true,
  autocomplete: true,
}

interface CommandRoute {
  definition: AnyCommandDefinition
  /** Each only for a command of its type. */
  slash?: (ctx: CommandContext) => unknown
  /** By the full name of the option. */
  autocomplete?: ReadonlyMap<string, AutocompleteHandler>
  user?: (ctx: UserCommandContext) => unknown
  message?: (ctx: MessageCommandContext) => unknown
}

interface PatternRoute<Ctx> {
  pattern: string
  match: (customId: string) => Readonly<Record<string, string>> | undefined
  run: (ctx: Ctx) => unknown
}

/** The handlers of one kind of component. `kind` is for error messages. */
function createPatternRoutes<Ctx>(kind: string) {
  const routes: PatternRoute<Ctx>[] = []
  return {
    add(pattern: string, run: (ctx: Ctx) => unknown) {
      if (routes.some(other => other.pattern === pattern)) {
        throw new TypeError(`The ${kind} "${pattern}" already has a handler.`)
      }
      const route = { pattern, match: compilePattern(pattern), run }
      // A pattern without parameters takes precedence over patterns with parameters.
      if (pattern.includes('{')) routes.push(route)
      else routes.unshift(route)
    },
    /** The context of a component, and its handler if there is one. */
    resolve(customId: string, createContext: (params: Readonly<Record<string, string>>) => Ctx) {
      for (const { match, run } of routes) {
        const params = match(customId)
        if (!params) continue
        const ctx = createContext(params)
        return { ctx, run: () => run(ctx) }
      }
      return { ctx: createContext({}), run: undefined }
    },
  }
}

type PatternRoutes<Ctx> = ReturnType<typeof createPatternRoutes<Ctx>>

/** Calls the handler of an event, through the middleware. */
export function createRouter(options: RouterOptions): Router {
  /** By type and name. */
  const commands = new Map<string, CommandRoute>()
  const buttons = createPatternRoutes<ButtonContext>('button')
  const selects = createPatternRoutes<SelectContext>('select menu')
  const modals = createPatternRoutes<ModalContext>('modal')
  const middleware: Middleware[] = []
  const waits = createWaits(options)
  const running = new Map<Promise<void>, Pick<Responder, 'abort'>>()
  // The gateway can send an event twice, and an attacker can replay a signed request.
  const handledIds = new Set<string>()
  let onError: ErrorHandler = sendErrorMessage

  function logFailure(event: InteractionEvent, error: unknown) {
    options.log(`${nameOf(event)}: the handler failed`, error)
  }

  async function sendErrorMessage(error: unknown, ctx: AnyContext) {
    logFailure(ctx.event, error)
    if (error instanceof LateError || ctx.state === 'answered' || ctx.state === 'late') return
    await ctx.reply({ content: 'Something went wrong.', ephemeral: true })
  }

  function resolve(event: UseEvent, responder: WaitingResponder, api: BotApi, handler: WaitingHandler) {
    if (event.type === 'command') {
      const route = findCommand(event)
      if (isUserCommand(event)) {
        const ctx = createUserCommandContext(event, responder, api)
        return { ctx, run: route?.user && (() => route.user?.(ctx)) }
      }
      if (isMessageCommand(event)) {
        const ctx = createMessageCommandContext(event, responder, api)
        return { ctx, run: route?.message && (() => route.message?.(ctx)) }
      }
      const ctx = createCommandContext(event, responder, api)
      return { ctx, run: route?.slash && (() => route.slash?.(ctx)) }
    }
    if (event.type === 'modal_submit') {
      const source = modalSource(event.user.id, event.channelId)
      return resolveUse('modal', source, event, modals, responder, handler, params =>
        createModalContext(event, params, responder, api),
      )
    }
    return isSelectUse(event)
      ? resolveUse('select', event.message.id, event, selects, responder, handler, params =>
          createSelectContext(event, params, responder, api),
        )
      : resolveUse('button', event.message.id, event, buttons, responder, handler, params =>
          createButtonContext(event, params, responder, api),
        )
  }

  /** A handler that waits for the component or modal comes before the handlers of its kind. */
  function resolveUse<Ctx extends ButtonContext | SelectContext | ModalContext>(
    type: Ctx['type'],
    source: string,
    { data: { customId } }: Exclude<UseEvent, { type: 'command' }>,
    routes: PatternRoutes<Ctx>,
    responder: Responder,
    handler: WaitingHandler,
    createContext: (params: Readonly<Record<string, string>>) => Ctx,
  ) {
    const awaited = waits.find(type, customId, source, createContext)
    if (awaited) {
      // The handler that waits responds to this use too, so this use ends with that handler. If it ends without a
      // response, the use is acknowledged.
      handler.ended = awaited.handler.ended
      return {
        ctx: awaited.ctx,
        run() {
          awaited.take()
          return Promise.race([responder.responded, handler.ended])
        },
      }
    }
    const found = routes.resolve(customId, createContext)
    if (found.run || !waits.has(source)) return found
    // The handler waits for another user or component. This use is acknowledged.
    return { ctx: found.ctx, run: () => {} }
  }

  function findCommand(event: InteractionEvent): CommandRoute | undefined {
    const type = event.type === 'autocomplete' ? 'slash' : commandTypeOf(event)
    return 'name' in event.data ? commands.get(`${type} ${event.data.name}`) : undefined
  }

  function addCommand(name: string, route: CommandRoute) {
    const { type = 'slash' } = route.definition
    const key = `${type} ${name}`
    if (commands.has(key)) throw new TypeError(`The command "${name}" already has a handler.`)
    commands.set(key, route)
  }

  async function runThroughMiddleware(
    ctx: AnyContext,
    handler: (() => unknown) | undefined,
    index = 0,
  ): Promise<void> {
    const next = middleware[index]
    if (next) await next(ctx, () => runThroughMiddleware(ctx, handler, index + 1))
    else if (handler) await handler()
    else throw createNoHandlerError(ctx.event)
  }

  /** Calls the error handler. Never rejects. */
  async function report(error: unknown, ctx: AnyContext, finish: () => Promise<void>) {
    try {
      await onError(error, ctx)
      await finish()
    } catch (handlerError) {
      options.log(`${nameOf(ctx.event)}: the error handler failed`, handlerError)
    }
  }

  async function run(event: UseEvent, responder: WaitingResponder, api: BotApi, waiting: WaitingHandler) {
    const { ctx, run: handler } = resolve(event, responder, api, waiting)
    try {
      await runThroughMiddleware(ctx, handler)
      await responder.finish()
      if (responder.state === 'pending') {
        options.log(`${nameOf(event)}: the handler ended without a response`)
      }
    } catch (error) {
      await report(error, ctx, responder.finish)
    }
  }

  /** Runs the handler of an event in the background. */
  function startUse(event: UseEvent, environment: Environment, onFirstResponse: () => void) {
    const { api, clock, timers } = environment
    const definition = findCommand(event)?.definition
    let end = () => {}
    const handler: WaitingHandler = {
      userId: event.user.id,
      channelId: event.channelId,
      messageIds: new Set(event.type === 'component' ? [event.message.id] : []),
      timers,
      ended: new Promise(resolve => {
        end = resolve
      }),
    }
    const own = createResponder({
      event,
      api: observe(api, handler.messageIds, onFirstResponse),
      clock,
      timers,
      deferBefore: options.deferBefore,
      ephemeral: definition?.ephemeral === true,
      onError: error => options.log(`${nameOf(event)}: the automatic deferral failed`, error),
    })
    // Not a copy, whose `state` would not change.
    const responder = Object.assign(own, {
      waiting: waits.waitingOf(handler),
      clock: createHandlerClock(environment),
    })
    return { handled: run(event, responder, api, handler).finally(() => end()), abort: own.abort }
  }

  /**
   * Sends the suggestions for an option in the background: none if the handler fails, so that the user does not wait.
   */
  function startAutocomplete(event: AutocompleteInteraction, environment: Environment) {
    const { api, clock, timers } = environment
    const late = new AbortController()
    const cancelDeadline = timers.after(
      Date.parse(event.deadlineAt) - clock(),
      () => late.abort(createTimeoutError()),
      'background',
    )
    const { signal } = late
    const ctx = createAutocompleteContext(event, api, signal, createHandlerClock(environment))
    const handler = findCommand(event)?.autocomplete?.get(focusedName(ctx))
    const send = (choices: Choice[]) =>
      api.callback(event, { type: 'autocomplete', data: { choices } }, { request: signal, retry: signal })
    async function run() {
      try {
        if (!handler) throw createNoHandlerError(event)
        const suggestions = await handler(ctx)
        signal.throwIfAborted()
        await send(toChoices(suggestions))
      } catch (error) {
        const isOver = signal.aborted || error instanceof LateError || error instanceof AlreadyAnsweredError
        if (!isOver) await send([]).catch(() => {})
        logFailure(event, error)
      }
      cancelDeadline()
    }
    return { handled: run(), abort: () => late.abort(new GatehouseError('the bot was stopped')) }
  }

  return {
    get definitions() {
      return [...commands.values()].map(({ definition }) => definition)
    },
    command(definition, handler, autocomplete) {
      assertCommand('command', definition)
      addCommand(definition.name.normalize('NFC'), {
        definition,
        autocomplete: collectAutocomplete(definition, autocomplete),
        slash: ctx => handler(typeOptions<typeof definition>(ctx)),
      })
    },
    userCommand(given, handler) {
      const definition = { ...given, type: 'user' } as const
      assertCommand('userCommand', definition)
      addCommand(definition.name.trim(), { definition, user: handler })
    },
    messageCommand(given, handler) {
      const definition = { ...given, type: 'message' } as const
      assertCommand('messageCommand', definition)
      addCommand(definition.name.trim(), { definition, message: handler })
    },
    button(pattern, handler) {
      buttons.add(pattern, ctx => handler(typeParams<typeof pattern, ButtonContext>(ctx)))
    },
    select(pattern, handler) {
      selects.add(pattern, ctx => handler(typeParams<typeof pattern, SelectContext>(ctx)))
    },
    modal(modal, handler) {
      if (typeof modal !== 'string') assertModal('modal', modal)
      modals.add(typeof modal === 'string' ? modal : modal.customId, ctx => handler(typeFields(ctx)))
    },
    use(added) {
      middleware.push(added)
    },
    catch(handler) {
      onError = handler
    },
    async handle(event, environment, onFirstResponse = () => {}) {
      if (!Object.hasOwn(handledTypes, event.type)) return
      const { clock, timers } = environment
      let use: { handled: Promise<void>; abort: () => void } | undefined
      try {
        const remainingMs = Date.parse(event.deadlineAt) - clock()
        if (remainingMs <= 0)
          return options.log(`${nameOf(event)}: ignored, because it was received after its deadline`)
        if (handledIds.has(event.id)) return
        handledIds.add(event.id)
        // One millisecond more, because a timer may fire up to 1 ms early by the clock.
        timers.after(remainingMs + 1, () => handledIds.delete(event.id), 'background')

        use =
          event.type === 'autocomplete'
            ? startAutocomplete(event, environment)
            : startUse(event, environment, onFirstResponse)
        running.set(use.handled, use)
        await use.handled
      } catch (error) {
        // Errors of handlers do not get here. The service may be newer than this package, with another form of the
        // event.
        options.log(`${event.type} ${event.id} could not be handled`, error)
        // Cancels the automatic deferral.
        use?.abort()
      } finally {
        if (use) running.delete(use.handled)
      }
    },
    openWaits: waits.open,
    closeWaits: waits.close,
    async idle() {
      await Promise.allSettled(running.keys())
    },
    abort() {
      for (const handler of running.values()) handler.abort()
    },
  }
}

/** Records the ids of the messages of an interaction, and calls `onFirstResponse` after its first response. */
function observe(
  api: BotApi,
  messageIds: Set<string>,
  onFirstResponse: () => void,
): Pick<BotApi, 'callback' | 'followUp' | 'edit' | 'delete'> {
  async function record<Response extends Message | null>(response: Promise<Response>): Promise<Response> {
    const message = await response
    if (message) messageIds.add(message.id)
    return message
  }
  return {
    followUp: (event, data) => record(api.followUp(event, data)),
    edit: (event, messageId, data) => record(api.edit(event, messageId, data)),
    delete: api.delete,
    async callback(event, body, signals) {
      const message = await record(api.callback(event, body, signals))
      onFirstResponse()
      return message
    },
  }
}

function createNoHandlerError(event: InteractionEvent): GatehouseError {
  return new GatehouseError(`there is no handler for ${nameOf(event)}`)
}

function isSelectUse(event: Extract<InteractionEvent, { type: 'component' }>): event is SelectInteraction {
  return event.data.componentType !== 'button'
}

function nameOf(event: InteractionEvent): string {
  if (event.type === 'component') {
    return `the ${isSelectUse(event) ? 'select menu' : 'button'} ${event.data.customId}`
  }
  if (event.type === 'modal_submit') return `the modal ${event.data.customId}`
  if (event.type === 'autocomplete') return `the autocomplete of /${event.data.name}`
  return commandTypeOf(event) === 'slash' ? `/${event.data.name}` : `the command "${event.data.name}"`
}
