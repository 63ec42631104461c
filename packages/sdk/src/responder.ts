import { type Reply, toData, toEdit } from './answers.ts'
import type { InteractionApi } from './api.ts'
import type { Clock, Timers } from './clock.ts'
import { AlreadyAnsweredError, GatehouseError, LateError, NotAnsweredError } from './errors.ts'
import type { InteractionEvent, Message, ResponseData } from './types.ts'

/**
 * Where an interaction is (D29): `pending`; `deferred`, a placeholder stands; `acknowledged`, a press was taken note of
 * and nothing changed; `answered`; `late`, nobody waits for the answer any more.
 */
export type InteractionState = 'pending' | 'deferred' | 'acknowledged' | 'answered' | 'late'

export interface ResponderOptions {
  event: InteractionEvent
  api: InteractionApi
  /** In the service's time. */
  clock: Clock
  timers: Timers
  /** How long before the deadline an unanswered interaction is deferred, in ms; false for never. */
  deferBefore: number | false
  /** For answers that do not say. */
  ephemeral: boolean
  /** An automatic deferral failed. */
  onError(error: unknown): void
}

/** The responses to one interaction, one at a time and in order, as one state machine. */
export interface Responder {
  readonly state: InteractionState
  /** Aborted when no answer can be given any more: at the deadline without one, and when the token ends. */
  readonly signal: AbortSignal
  reply(answer: string | Reply): Promise<Message>
  defer(options?: { ephemeral?: boolean }): Promise<void>
  update(answer: string | Reply): Promise<Message>
  deferUpdate(): Promise<void>
  edit(answer: string | Reply, messageId?: string): Promise<Message>
  followUp(answer: string | Reply): Promise<Message>
  deleteReply(messageId?: string): Promise<void>
  /** The handler ended: what it left pending is not deferred any more. */
  settle(): Promise<void>
  /** The bot stops. */
  abandon(): void
}

export function createResponder(options: ResponderOptions): Responder {
  const { event, api, clock, timers } = options
  const deadline = Date.parse(event.deadlineAt)
  const over = new AbortController()
  const due = new AbortController()
  const signals = { over: over.signal, due: due.signal }
  let state: InteractionState = 'pending'
  // Of a placeholder: the answer that takes its place is seen by the same people, unless it is a message of its own.
  let placeholderIsEphemeral = false
  // What `edit` and `deleteReply` mean where they name no message: a reply that went out as a follow-up is not the original.
  let own = 'original'
  let last: Promise<unknown> = Promise.resolve()

  const cancelDefer =
    options.deferBefore === false
      ? () => {}
      : timers.after(left(deadline - options.deferBefore), deferInTime, 'background')
  const cancelDeadline = timers.after(left(deadline), missDeadline, 'background')
  const cancelExpiry = timers.after(left(Date.parse(event.expiresAt)), expire, 'background')

  function left(time: number): number {
    return Math.max(0, time - clock())
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  function deferInTime() {
    inTurn(async () => {
      if (state === 'pending') await first(event.type === 'component' ? 'deferred_update' : 'defer')
    }).catch(options.onError)
  }

  function missDeadline() {
    due.abort()
    void inTurn(async () => {
      if (state === 'pending') end(late('the first response was due after 3 seconds'))
    })
  }

  function expire() {
    end(late('the 15 minutes of the interaction are over', 'interaction_token_expired'))
  }

  function end(reason: GatehouseError) {
    state = 'late'
    cancelDefer()
    cancelDeadline()
    cancelExpiry()
    over.abort(reason)
  }

  function alive() {
    if (state === 'late') throw over.signal.reason
  }

  /** The first response; one that is refused as invalid leaves the interaction pending. */
  async function first(
    type: 'message' | 'defer' | 'update' | 'deferred_update',
    data?: ResponseData,
  ): Promise<Message | null> {
    try {
      const message = await api.callback(event, { type, ...(data ? { data } : {}) }, signals)
      if (type === 'defer') {
        state = 'deferred'
        placeholderIsEphemeral = data?.ephemeral === true
      } else state = type === 'deferred_update' ? 'acknowledged' : 'answered'
      cancelDefer()
      cancelDeadline()
      return message
    } catch (error) {
      if (error instanceof LateError) end(error)
      if (error instanceof AlreadyAnsweredError) state = 'answered'
      throw error
    }
  }

  async function later<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work()
      if (state === 'deferred') state = 'answered'
      return done
    } catch (error) {
      if (error instanceof LateError) end(error)
      throw error
    }
  }

  function visible(answer: string | Reply): ResponseData {
    const data = toData(answer)
    return options.ephemeral ? { ephemeral: true, ...data } : data
  }

  return {
    get state() {
      return state
    },
    signal: over.signal,

    reply: answer =>
      inTurn(async () => {
        alive()
        const data = visible(answer)
        if (state === 'pending') return made(await first('message', data))
        if (state === 'answered') throw answered('reply', 'followUp or edit')
        // What is for one person never goes into a placeholder that all see; a follow-up decides for itself.
        if (state === 'deferred' && (data.ephemeral === true) === placeholderIsEphemeral) {
          return later(() => api.edit(event, own, toEdit(answer)))
        }
        const message = await later(() => api.followUp(event, data))
        state = 'answered'
        own = message.id
        return message
      }),

    defer: (given = {}) =>
      inTurn(async () => {
        alive()
        if (state === 'answered') throw answered('defer', 'followUp or edit')
        const ephemeral = given.ephemeral ?? options.ephemeral
        if (state === 'pending') await first('defer', ephemeral ? { ephemeral } : undefined)
      }),

    update: answer =>
      inTurn(async () => {
        alive()
        if (state === 'pending') return made(await first('update', toEdit(answer)))
        if (state !== 'acknowledged') throw answered('update', 'edit')
        const message = await later(() => api.edit(event, own, toEdit(answer)))
        state = 'answered'
        return message
      }),

    deferUpdate: () =>
      inTurn(async () => {
        alive()
        if (state === 'pending') await first('deferred_update')
        else if (state !== 'acknowledged') throw answered('deferUpdate', 'edit')
      }),

    edit: (answer, messageId) =>
      inTurn(async () => {
        alive()
        if (state === 'pending') throw unanswered('edit')
        return later(() => api.edit(event, messageId ?? own, toEdit(answer)))
      }),

    followUp: answer =>
      inTurn(async () => {
        alive()
        if (state === 'pending') throw unanswered('followUp')
        return later(() => api.followUp(event, visible(answer)))
      }),

    deleteReply: messageId =>
      inTurn(async () => {
        alive()
        if (state === 'pending') throw unanswered('deleteReply')
        return later(() => api.delete(event, messageId ?? own))
      }),

    settle: () =>
      inTurn(async () => {
        if (state !== 'pending') return
        cancelDefer()
        // A press without an answer is a press that was taken note of; a command without one is told by its deadline.
        if (event.type === 'component') await first('deferred_update')
      }),

    abandon() {
      if (state !== 'late') end(new GatehouseError('the bot was stopped'))
    },
  }
}

function made(message: Message | null): Message {
  if (message === null) throw new GatehouseError('the service answered without the message')
  return message
}

function late(message: string, code = 'interaction_timed_out'): LateError {
  return new LateError({ status: 410, code, message })
}

function answered(call: string, instead: string): AlreadyAnsweredError {
  const message = `${call}: the interaction has its answer; use ${instead}`
  return new AlreadyAnsweredError({ status: 409, code: 'interaction_already_answered', message })
}

function unanswered(call: string): NotAnsweredError {
  const message = `${call}: the interaction has no answer yet; use reply or defer`
  return new NotAnsweredError({ status: 409, code: 'interaction_not_answered', message })
}
