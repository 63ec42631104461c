import type { InteractionApi } from './api.ts'
import type { Clock, Timers } from './clock.ts'
import { AlreadyAnsweredError, GatehouseError, LateError, NotAnsweredError } from './errors.ts'
import { type Reply, type ReplyEdit, toEditData, toResponseData } from './reply.ts'
import type {
  AutocompleteInteraction,
  CallbackBody,
  InteractionEvent,
  Message,
  Modal,
  ResponseData,
} from './types.ts'

/**
 * How the bot has responded to an interaction: `pending`, not yet; `deferred`, with a placeholder; `acknowledged`, a
 * button press without a visible change; `answered`; `late`, when no response is accepted any more
 * (bots/interaction-states).
 */
export type ResponderState = 'pending' | 'deferred' | 'acknowledged' | 'answered' | 'late'

/** An interaction that messages and modals respond to. */
export type UseEvent = Exclude<InteractionEvent, AutocompleteInteraction>

export interface ResponderOptions {
  event: UseEvent
  api: InteractionApi
  /** The service's time. */
  clock: Clock
  timers: Timers
  /** Defers a pending interaction this many ms before its deadline; false disables it. */
  deferBefore: number | false
  /** Default for responses that do not set `ephemeral`. */
  ephemeral: boolean
  /** Called if the automatic deferral fails. */
  onError(error: unknown): void
}

const statesAfter: Readonly<Record<CallbackBody['type'], ResponderState>> = {
  message: 'answered',
  defer: 'deferred',
  update: 'answered',
  deferred_update: 'acknowledged',
  modal: 'answered',
  autocomplete: 'answered',
}

/** The state machine of one interaction. It sends one response at a time, in the order of the calls. */
export interface Responder {
  readonly state: ResponderState
  /** Aborts at the deadline if there is no first response, and when the token expires. */
  readonly signal: AbortSignal
  /** Resolves after the first response, or when none is accepted any more. */
  readonly responded: Promise<void>
  reply(message: string | Reply): Promise<Message>
  defer(options?: { ephemeral?: boolean }): Promise<void>
  update(message: string | Reply): Promise<Message>
  deferUpdate(): Promise<void>
  showModal(modal: Modal): Promise<void>
  edit(message: string | ReplyEdit): Promise<Message>
  followUp(message: string | Reply): Promise<Message>
  deleteReply(messageId?: string): Promise<void>
  /**
   * Called when the handler ends. Cancels the automatic deferral, and acknowledges a button press that is still
   * pending.
   */
  finish(): Promise<void>
  /** Called when the bot stops. Aborts the signal; later calls throw. */
  abort(): void
}

export function createResponder(options: ResponderOptions): Responder {
  const { event, api, clock, timers } = options
  const deadline = Date.parse(event.deadlineAt)
  /** Whether there is a message to update: that of the component. */
  const canUpdate = event.type !== 'command' && event.message !== undefined
  /** Aborts when the interaction no longer accepts a response. */
  const late = new AbortController()
  /** Aborts at the deadline of the first response. */
  const deadlinePassed = new AbortController()
  const signals = { request: late.signal, retry: deadlinePassed.signal }
  let state: ResponderState = 'pending'
  let placeholderIsEphemeral = false
  // Default message of `edit` and `deleteReply`. It is a follow-up if `reply` could not replace the placeholder.
  let responseId = 'original'
  let previous: Promise<unknown> = Promise.resolve()
  let markResponded = () => {}
  const responded = new Promise<void>(resolve => {
    markResponded = resolve
  })

  const cancelDefer =
    options.deferBefore === false
      ? () => {}
      : timers.after(msUntil(deadline - options.deferBefore), deferAutomatically, 'background')
  const cancelDeadline = timers.after(msUntil(deadline), onDeadline, 'background')
  const cancelExpiry = timers.after(msUntil(Date.parse(event.expiresAt)), onExpiry, 'background')

  function msUntil(time: number): number {
    return Math.max(0, time - clock())
  }

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = previous.then(work)
    previous = result.catch(() => {})
    return result
  }

  function sendDefer(ephemeral: boolean) {
    return sendFirst('defer', ephemeral ? { ephemeral } : undefined)
  }

  function deferAutomatically() {
    enqueue(async () => {
      if (state === 'pending') await (canUpdate ? sendFirst('deferred_update') : sendDefer(options.ephemeral))
    }).catch(options.onError)
  }

  function onDeadline() {
    deadlinePassed.abort()
    void enqueue(async () => {
      if (state === 'pending') markLate(createTimeoutError())
    })
  }

  function onExpiry() {
    markLate(
      createLateError(
        'responses are accepted for 15 minutes after the interaction',
        'interaction_token_expired',
      ),
    )
  }

  function markLate(reason: GatehouseError) {
    state = 'late'
    markResponded()
    cancelDefer()
    cancelDeadline()
    cancelExpiry()
    late.abort(reason)
  }

  function throwIfLate() {
    if (state === 'late') throw late.signal.reason
  }

  /** Sends the first response. The interaction remains pending if the service rejects it as invalid. */
  async function sendFirst(
    type: 'message' | 'defer' | 'update' | 'deferred_update',
    data?: ResponseData,
  ): Promise<Message | null> {
    return sendCallback({ type, ...(data ? { data } : {}) })
  }

  async function sendCallback(body: CallbackBody): Promise<Message | null> {
    try {
      const message = await api.callback(event, body, signals)
      state = statesAfter[body.type]
      placeholderIsEphemeral = body.type === 'defer' && body.data?.ephemeral === true
      markResponded()
      cancelDefer()
      cancelDeadline()
      return message
    } catch (error) {
      if (error instanceof LateError) markLate(error)
      if (error instanceof AlreadyAnsweredError) {
        state = 'answered'
        markResponded()
      }
      throw error
    }
  }

  async function sendLater<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      if (state === 'deferred') state = 'answered'
      return result
    } catch (error) {
      if (error instanceof LateError) markLate(error)
      throw error
    }
  }

  function withDefaultVisibility(message: string | Reply): ResponseData {
    const data = toResponseData(message)
    return options.ephemeral ? { ephemeral: true, ...data } : data
  }

  return {
    get state() {
      return state
    },
    signal: late.signal,
    responded,

    reply: content =>
      enqueue(async () => {
        throwIfLate()
        const data = withDefaultVisibility(content)
        if (state === 'pending') return requireMessage(await sendFirst('message', data))
        if (state === 'answered') throw createAnsweredError('reply', 'followUp or edit')
        // What replaces an ephemeral placeholder is ephemeral. An ephemeral response must not replace a public one.
        if (state === 'deferred' && (placeholderIsEphemeral || data.ephemeral !== true)) {
          return sendLater(() => api.edit(event, responseId, toEditData(content)))
        }
        const message = await sendLater(() => api.followUp(event, data))
        state = 'answered'
        responseId = message.id
        return message
      }),

    defer: (choice = {}) =>
      enqueue(async () => {
        throwIfLate()
        if (state === 'answered') throw createAnsweredError('defer', 'followUp or edit')
        if (state === 'pending') await sendDefer(choice.ephemeral ?? options.ephemeral)
      }),

    update: content =>
      enqueue(async () => {
        throwIfLate()
        if (state === 'pending') return requireMessage(await sendFirst('update', toEditData(content)))
        if (state !== 'acknowledged') throw createAnsweredError('update', 'edit')
        const message = await sendLater(() => api.edit(event, responseId, toEditData(content)))
        state = 'answered'
        return message
      }),

    deferUpdate: () =>
      enqueue(async () => {
        throwIfLate()
        if (state === 'pending') await sendFirst('deferred_update')
        else if (state !== 'acknowledged') throw createAnsweredError('deferUpdate', 'edit')
      }),

    showModal: modal =>
      enqueue(async () => {
        throwIfLate()
        if (state !== 'pending') throw createAnsweredError('showModal', 'reply with a button that opens it')
        await sendCallback({ type: 'modal', data: modal })
      }),

    edit: (message, ...others: unknown[]) =>
      enqueue(async () => {
        if (others.length > 0) {
          throw new TypeError('edit: takes one message. To edit a follow-up: edit({ messageId, content }).')
        }
        throwIfLate()
        if (state === 'pending') throw createNotAnsweredError('edit')
        const { messageId = responseId } = typeof message === 'string' ? {} : message
        return sendLater(() => api.edit(event, messageId, toEditData(message)))
      }),

    followUp: content =>
      enqueue(async () => {
        throwIfLate()
        if (state === 'pending') throw createNotAnsweredError('followUp')
        return sendLater(() => api.followUp(event, withDefaultVisibility(content)))
      }),

    deleteReply: messageId =>
      enqueue(async () => {
        throwIfLate()
        if (state === 'pending') throw createNotAnsweredError('deleteReply')
        return sendLater(() => api.delete(event, messageId ?? responseId))
      }),

    finish: () =>
      enqueue(async () => {
        if (state !== 'pending') return
        cancelDefer()
        // A command cannot be acknowledged without a message: it times out at its deadline.
        if (canUpdate || event.type === 'modal_submit') await sendFirst('deferred_update')
      }),

    abort() {
      if (state !== 'late') markLate(new GatehouseError('the bot was stopped'))
    },
  }
}

function requireMessage(message: Message | null): Message {
  if (message === null) throw new GatehouseError('the response of the service contains no message')
  return message
}

export function createTimeoutError(): LateError {
  return createLateError('the first response must be sent within 3 seconds')
}

function createLateError(message: string, code = 'interaction_timed_out'): LateError {
  return new LateError({ status: 410, code, message })
}

function createAnsweredError(call: string, instead: string): AlreadyAnsweredError {
  const message = `${call}: the interaction already has a response; use ${instead}`
  return new AlreadyAnsweredError({ status: 409, code: 'interaction_already_answered', message })
}

function createNotAnsweredError(call: string): NotAnsweredError {
  const message = `${call}: the interaction has no response yet; use reply or defer`
  return new NotAnsweredError({ status: 409, code: 'interaction_not_answered', message })
}
