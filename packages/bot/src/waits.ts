import { type Timers, wait } from './clock.ts'
import type { AwaitOptions, ButtonContext, ModalContext, SelectContext, Waiting } from './contexts.ts'
import { compilePattern } from './custom-ids.ts'
import { GatehouseError } from './errors.ts'
import type { GatewayEvents } from './types.ts'

/** The interactions that a handler can wait for, by the `type` of their context. */
interface AwaitedContexts {
  button: ButtonContext
  select: SelectContext
  modal: ModalContext
}

/** One call of `awaitButton`, `awaitSelect` or `awaitModal`. */
interface Wait {
  type: keyof AwaitedContexts
  /** The ids of the messages with the component, or the `modalSource`. */
  sources: ReadonlySet<string>
  /** The parameters if this customId is awaited. */
  match(customId: string): Readonly<Record<string, string>> | undefined
  /** If the filter throws, the wait ends with its error, and the result is false. */
  accepts(ctx: never): boolean
  take(ctx: never): void
  handler: WaitingHandler
}

/** The handler of an interaction, which may wait for others. */
export interface WaitingHandler {
  userId: string
  channelId: string
  /** The messages of its interaction. */
  messageIds: Set<string>
  timers: Timers
  /** Resolves when the handler has ended. */
  ended: Promise<void>
}

export interface WaitsOptions {
  /** Throws if the bot receives no messages. Returns a function that removes the listener. */
  onMessage(listener: (message: GatewayEvents['MESSAGE_CREATE']) => void): () => void
}

const defaultTimeoutMs = 15 * 60_000

export interface Waits {
  /** The functions of a context with which its handler waits. */
  waitingOf(handler: WaitingHandler): Waiting
  /**
   * The first wait for the component, or the last one for the modal: the user may have closed the modals before
   * without a submit. `source` is the id of the message, or `modalSource`. `createContext` gets the parameters of its
   * pattern.
   */
  find<Ctx extends AwaitedContexts[keyof AwaitedContexts]>(
    type: Ctx['type'],
    customId: string,
    source: string,
    createContext: (params: Readonly<Record<string, string>>) => Ctx,
  ): { ctx: Ctx; take: () => void; handler: WaitingHandler } | undefined
  /**
   * Whether there is a wait for a component of this message, or, with `modalSource`, for a modal of this user in this
   * channel.
   */
  has(source: string): boolean
  /** Allows waits again after `close`. */
  open(): void
  /** Ends all waits. A new one ends at once, because its handler would delay the stop of the bot. */
  close(): void
}

export function modalSource(userId: string, channelId: string): string {
  return `${userId} ${channelId}`
}

/** The waits of handlers for a component, a modal or a message. */
export function createWaits(options: WaitsOptions): Waits {
  const waits = new Set<Wait>()
  const stops = new Set<() => void>()
  let isClosed = false

  /**
   * Waits until `listen` gives a value, the time has passed, or the bot stops, and throws the error that it gives.
   * `listen` returns a function that ends it.
   */
  async function waitFor<Value>(
    timers: Timers,
    timeoutMs: number,
    listen: (resolve: (value: Value) => void, reject: (error: unknown) => void) => () => void,
  ): Promise<Value | undefined> {
    if (isClosed) return undefined
    const ended = new AbortController()
    const stop = () => ended.abort()
    let result: { value: Value } | { error: unknown } | undefined
    // The first one counts: another message may arrive before this function continues.
    const settle = (given: { value: Value } | { error: unknown }) => {
      result ??= given
      stop()
    }
    const unlisten = listen(
      value => settle({ value }),
      error => settle({ error }),
    )
    stops.add(stop)
    await wait(timers, timeoutMs, ended.signal).catch(() => {})
    unlisten()
    stops.delete(stop)
    if (result === undefined) return undefined
    if ('error' in result) throw result.error
    return result.value
  }

  function awaitComponent<Ctx extends ButtonContext | SelectContext>(
    type: Ctx['type'],
    handler: WaitingHandler,
    options: AwaitOptions<Ctx> = {},
  ): Promise<Ctx | undefined> {
    const sources = options.message ? new Set([options.message.id]) : handler.messageIds
    if (sources.size === 0) {
      throw new GatehouseError('await: the interaction has no message yet; use reply, or pass `message`')
    }
    return awaitUse(type, handler, sources, options)
  }

  function awaitUse<Ctx extends AwaitedContexts[keyof AwaitedContexts]>(
    type: Ctx['type'],
    handler: WaitingHandler,
    sources: ReadonlySet<string>,
    { customId, user, filter = () => true, timeoutMs = defaultTimeoutMs }: AwaitOptions<Ctx>,
  ): Promise<Ctx | undefined> {
    const match = customId === undefined ? () => ({}) : compilePattern(customId)
    return waitFor<Ctx>(handler.timers, timeoutMs, (resolve, reject) => {
      const awaited: Wait = {
        type,
        sources,
        match,
        accepts(ctx: Ctx) {
          try {
            return (user === undefined || ctx.user.id === user) && filter(ctx)
          } catch (error) {
            reject(error)
            return false
          }
        },
        take(ctx: Ctx) {
          waits.delete(awaited)
          resolve(ctx)
        },
        handler,
      }
      waits.add(awaited)
      return () => waits.delete(awaited)
    })
  }

  return {
    waitingOf: handler => ({
      // The pattern gave the parameters, and the service has validated the fields.
      awaitButton: async given => (await awaitComponent<ButtonContext>('button', handler, given)) as never,
      awaitSelect: async given => (await awaitComponent<SelectContext>('select', handler, given)) as never,
      awaitModal: async (modal, given = {}) => {
        const customId = typeof modal === 'string' ? modal : modal.customId
        const sources = new Set([modalSource(handler.userId, handler.channelId)])
        return (await awaitUse<ModalContext>('modal', handler, sources, { ...given, customId })) as never
      },
      awaitMessage: async ({ user, filter = () => true, timeoutMs = defaultTimeoutMs } = {}) =>
        waitFor(handler.timers, timeoutMs, (resolve, reject) =>
          options.onMessage(message => {
            const { author, channelId } = message
            const isExpected = user === undefined ? !author.bot : author.id === user
            if (channelId !== handler.channelId || !isExpected) return
            try {
              if (filter(message)) resolve(message)
            } catch (error) {
              reject(error)
            }
          }),
        ),
    }),
    find(type, customId, source, createContext) {
      const ordered = [...waits]
      for (const awaited of type === 'modal' ? ordered.reverse() : ordered) {
        const { sources, match } = awaited
        const params = awaited.type === type && sources.has(source) ? match(customId) : undefined
        if (!params) continue
        const ctx = createContext(params)
        // The context has the type of the wait.
        if (!awaited.accepts(ctx as never)) continue
        return { ctx, take: () => awaited.take(ctx as never), handler: awaited.handler }
      }
      return undefined
    },
    has: source => [...waits].some(({ sources }) => sources.has(source)),
    open() {
      isClosed = false
    },
    close() {
      isClosed = true
      for (const stop of stops) stop()
    },
  }
}
