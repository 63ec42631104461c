import type { BotApi } from './api.ts'
import type { Clock, Timers } from './clock.ts'
import type { CommandDefinition } from './commands.ts'
import {
  type AnyContext,
  type ButtonContext,
  type CommandContext,
  type CommandContextOf,
  createButtonContext,
  createCommandContext,
  createSelectContext,
  type SelectContext,
  typeOptions,
  typeParams,
} from './contexts.ts'
import { compilePattern, type ParamsOf } from './custom-ids.ts'
import { GatehouseError, LateError } from './errors.ts'
import { createResponder, type Responder } from './responder.ts'
import type { InteractionEvent, SelectInteraction } from './types.ts'

/** Runs around every handler. If it does not call `next`, the handler does not run. */
export type Middleware = (ctx: AnyContext, next: () => Promise<void>) => unknown

/** Receives the error that a handler or a middleware threw. */
export type ErrorHandler = (error: unknown, ctx: AnyContext) => unknown

/** The dependencies of a handler: of the service, or of a test. */
export interface Environment {
  api: BotApi
  /** The service's time, which deadlines are compared with. */
  clock: Clock
  timers: Timers
}

export interface RouterOptions {
  deferBefore: number | false
  log: (message: string, error?: unknown) => void
}

export interface Router {
  readonly definitions: readonly CommandDefinition[]
  command<Definition extends CommandDefinition>(
    definition: Definition,
    handler: (ctx: CommandContextOf<Definition>) => unknown,
  ): void
  button<Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: ButtonContext<ParamsOf<Pattern>>) => unknown,
  ): void
  select<Pattern extends string>(
    pattern: Pattern,
    handler: (ctx: SelectContext<ParamsOf<Pattern>>) => unknown,
  ): void
  use(middleware: Middleware): void
  catch(handler: ErrorHandler): void
  /**
   * Resolves when the handler ends. Never rejects. Calls `answered` after the first response, or at the end.
   */
  handle(event: InteractionEvent, environment: Environment, answered?: () => void): Promise<void>
  /** Resolves when the running handlers have ended. */
  idle(): Promise<void>
  /** Aborts the signals of all running handlers. They can no longer respond. */
  abort(): void
}

interface CommandRoute {
  definition: CommandDefinition
  run: (ctx: CommandContext) => unknown
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

/** Calls the handler of an event, through the middleware. */
export function createRouter(options: RouterOptions): Router {
  const commands = new Map<string, CommandRoute>()
  const buttons = createPatternRoutes<ButtonContext>('button')
  const selects = createPatternRoutes<SelectContext>('select menu')
  const middleware: Middleware[] = []
  const running = new Map<Promise<void>, Responder>()
  // The gateway can send an event twice, and an attacker can replay a signed request.
  const handledIds = new Set<string>()
  let onError: ErrorHandler = sendErrorMessage

  async function sendErrorMessage(error: unknown, ctx: AnyContext) {
    options.log(`${nameOf(ctx.event)}: the handler failed`, error)
    if (error instanceof LateError || ctx.state === 'answered' || ctx.state === 'late') return
    await ctx.reply({ content: 'Something went wrong.', ephemeral: true })
  }

  function resolve(event: InteractionEvent, responder: Responder, api: BotApi) {
    if (event.type === 'command') {
      const ctx = createCommandContext(event, responder, api)
      const found = commands.get(event.data.name)
      return { ctx, run: found && (() => found.run(ctx)) }
    }
    const { customId } = event.data
    return isSelectUse(event)
      ? selects.resolve(customId, params => createSelectContext(event, params, responder, api))
      : buttons.resolve(customId, params => createButtonContext(event, params, responder, api))
  }

  async function run(event: InteractionEvent, responder: Responder, api: BotApi) {
    const { ctx, run: handler } = resolve(event, responder, api)
    async function runFrom(index: number): Promise<void> {
      const next = middleware[index]
      if (next) await next(ctx, () => runFrom(index + 1))
      else if (handler) await handler()
      else throw new GatehouseError(`there is no handler for ${nameOf(event)}`)
    }
    try {
      await runFrom(0)
      await responder.finish()
      if (ctx.state === 'pending') options.log(`${nameOf(event)}: the handler ended without a response`)
    } catch (error) {
      try {
        await onError(error, ctx)
        await responder.finish()
      } catch (handlerError) {
        options.log(`${nameOf(event)}: the error handler failed`, handlerError)
      }
    }
  }

  return {
    get definitions() {
      return [...commands.values()].map(({ definition }) => definition)
    },
    command(definition, handler) {
      const name = definition.name.normalize('NFC')
      if (commands.has(name)) throw new TypeError(`The command "${name}" already has a handler.`)
      commands.set(name, { definition, run: ctx => handler(typeOptions<typeof definition>(ctx)) })
    },
    button(pattern, handler) {
      buttons.add(pattern, ctx => handler(typeParams<typeof pattern, ButtonContext>(ctx)))
    },
    select(pattern, handler) {
      selects.add(pattern, ctx => handler(typeParams<typeof pattern, SelectContext>(ctx)))
    },
    use(added) {
      middleware.push(added)
    },
    catch(handler) {
      onError = handler
    },
    async handle(event, { api, clock, timers }, answered = () => {}) {
      if (event.type !== 'command' && event.type !== 'component') return
      const remainingMs = Date.parse(event.deadlineAt) - clock()
      if (remainingMs <= 0)
        return options.log(`${nameOf(event)}: ignored, because it was received after its deadline`)
      if (handledIds.has(event.id)) return
      handledIds.add(event.id)
      // One millisecond more, because a timer may fire up to 1 ms early by the clock.
      timers.after(remainingMs + 1, () => handledIds.delete(event.id), 'background')

      const definition = event.type === 'command' ? commands.get(event.data.name)?.definition : undefined
      const responder = createResponder({
        event,
        api: withFirstResponseCallback(api, answered),
        clock,
        timers,
        deferBefore: options.deferBefore,
        ephemeral: definition?.ephemeral === true,
        onError: error => options.log(`${nameOf(event)}: the automatic deferral failed`, error),
      })
      const handled = run(event, responder, api)
      running.set(handled, responder)
      await handled
      running.delete(handled)
      answered()
    },
    async idle() {
      await Promise.all(running.keys())
    },
    abort() {
      for (const responder of running.values()) responder.abort()
    },
  }
}

function withFirstResponseCallback(
  api: BotApi,
  answered: () => void,
): Pick<BotApi, 'callback' | 'followUp' | 'edit' | 'delete'> {
  return {
    followUp: api.followUp,
    edit: api.edit,
    delete: api.delete,
    async callback(event, body, signals) {
      const message = await api.callback(event, body, signals)
      answered()
      return message
    },
  }
}

function isSelectUse(event: Exclude<InteractionEvent, { type: 'command' }>): event is SelectInteraction {
  return event.data.componentType !== 'button'
}

function nameOf(event: InteractionEvent): string {
  if (event.type === 'command') return `/${event.data.name}`
  return `the ${isSelectUse(event) ? 'select menu' : 'button'} ${event.data.customId}`
}
