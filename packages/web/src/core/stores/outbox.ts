import type { Message } from '@gatehouse/protocol/messages'
import { type Api, ApiError, createNonce, isTransient, type Problem, toProblem } from '../api/client.ts'
import type { ConnectionTimers } from '../gateway/connection.ts'
import { addPending, failPending, removePending, resolvePending } from './timeline.ts'
import type { TimelineStore } from './timeline-store.ts'
import type { UnsentMessage, UnsentStore } from './unsent-store.ts'

export interface OutboxOptions {
  api: Api
  now(): number
  timers: ConnectionTimers
  /** Returns a number from 0 up to 1. */
  random(): number
  timelines: TimelineStore
  unsent: UnsentStore
  /**
   * Runs `work` while no other tab runs work with the same name. Undefined if the browser has no Web Locks, which need
   * a secure context. Two tabs may then send the same message, and the service accepts its nonce once.
   */
  exclusive: ((name: string, work: () => Promise<void>) => Promise<void>) | undefined
  isLoading(channelId: string): boolean
  /** A new message was added to the timeline and is about to be sent. */
  onSend(channelId: string): void
}

export const retryTiming = { firstDelayMs: 1000, maxDelayMs: 30_000, responseTimeoutMs: 30_000 } as const

/**
 * Sends the messages of the user: in each channel one after the other, in the order in which they were written. A
 * message stays in the `UnsentStore` until the service accepts it, so a reload does not lose it.
 */
export function createOutbox(options: OutboxOptions) {
  const { api, now, timers, random, unsent, exclusive, isLoading, onSend, timelines } = options
  /** The running queue of each channel. */
  const queues = new Map<string, Promise<void>>()
  /** Nonces of messages that were written before the page was loaded, or in another tab. */
  const restored = new Set<string>()
  /** Nonces of the messages that this tab is sending. */
  const inFlight = new Set<string>()
  let failures = 0
  let cancelRetry: (() => void) | undefined
  /** After a 429 response, nothing is sent until the retry. */
  let rateLimited = false

  function show({ nonce, channelId, content, createdAt, problem, rejected }: UnsentMessage) {
    const pending = { nonce, content, createdAt, state: problem ? 'failed' : 'sending' } as const
    const failure = problem ? { problem, ...(rejected ? {} : { transient: true as const }) } : {}
    timelines.update(channelId, timeline => addPending(timeline, { ...pending, ...failure }))
  }

  function post({ channelId, content, nonce }: UnsentMessage): Promise<Message> {
    return api.call('createMessage', {
      id: channelId,
      body: { content, nonce },
      timeoutMs: retryTiming.responseTimeoutMs,
    })
  }

  function resolve({ channelId, nonce }: UnsentMessage, message: Message) {
    failures = 0
    unsent.remove(nonce)
    // A channel that was not opened loads its messages when it is opened.
    const isShown = !restored.has(nonce) || timelines.get(channelId).loaded || isLoading(channelId)
    restored.delete(nonce)
    timelines.update(channelId, timeline =>
      isShown ? resolvePending(timeline, nonce, message) : removePending(timeline, nonce),
    )
  }

  const listQueued = (channelId: string) =>
    unsent.list().filter(message => message.channelId === channelId && !message.rejected)

  /** Sends the queued messages of the channel until there are none or the service cannot be reached. */
  async function sendQueued(channelId: string) {
    try {
      for (;;) {
        const [message] = listQueued(channelId)
        if (!message || rateLimited) return
        inFlight.add(message.nonce)
        const error = await post(message)
          // If only the response was lost, the nonce makes the repetition harmless.
          .catch((error: unknown) => {
            if (isTransient(error) && !isRateLimit(error)) return post(message)
            throw error
          })
          .then(response => resolve(message, response))
          .catch((error: unknown) => error)
        inFlight.delete(message.nonce)
        if (error === undefined) continue
        if (!unsent.get(message.nonce)) {
          // Accepted or deleted while it was being sent.
          timelines.update(channelId, timeline => removePending(timeline, message.nonce))
          continue
        }
        const problem = toProblem(error)
        if (isTransient(error) || isSignedOut(error)) return postpone(channelId, error, problem)
        unsent.update({ ...message, problem, rejected: true })
        timelines.update(channelId, timeline => failPending(timeline, message.nonce, { problem }))
      }
    } finally {
      // At once, not when the lock is released: a message that is written in between must start a new queue.
      queues.delete(channelId)
    }
  }

  /** Postpones all queued messages of the channel, so that none is sent before the one that failed. */
  function postpone(channelId: string, error: unknown, problem: Problem) {
    for (const message of listQueued(channelId)) {
      const postponed = { ...message, problem }
      unsent.update(postponed)
      show(postponed)
    }
    if (isSignedOut(error)) return
    const backoff = Math.min(retryTiming.maxDelayMs, retryTiming.firstDelayMs * 2 ** Math.min(failures, 10))
    failures += 1
    const retryAfterMs = (problem.retryAfter ?? (isRateLimit(error) ? 1 : 0)) * 1000
    rateLimited ||= isRateLimit(error)
    if (cancelRetry && !isRateLimit(error)) return
    cancelRetry?.()
    cancelRetry = timers.after(Math.max(retryAfterMs, backoff * (0.5 + random() / 2)), () => {
      cancelRetry = undefined
      rateLimited = false
      void sendAll()
    })
  }

  function runQueue(channelId: string): Promise<void> {
    const running = queues.get(channelId)
    if (running !== undefined) return running
    const work = () => sendQueued(channelId)
    const started = Promise.resolve()
      .then(() => (exclusive ? exclusive(`outbox:${channelId}`, work) : work()))
      .finally(() => {
        // If the lock fails, `work` never runs.
        if (queues.get(channelId) === started) queues.delete(channelId)
      })
    queues.set(channelId, started)
    return started
  }

  async function sendAll(): Promise<void> {
    const queued = unsent.list().filter(({ rejected }) => !rejected)
    const channels = new Set(queued.map(({ channelId }) => channelId))
    await Promise.all([...channels].map(runQueue))
  }

  function showRestored(messages: readonly UnsentMessage[]) {
    for (const message of messages) {
      restored.add(message.nonce)
      show(message)
    }
  }

  return {
    /** Shows and sends the messages of this user that were not sent before the page was loaded. */
    async restore(userId: string) {
      unsent.setOwner(userId)
      showRestored(unsent.list())
      await sendAll()
    },

    async send(channelId: string, content: string) {
      const createdAt = new Date(now()).toISOString()
      show(unsent.add({ nonce: createNonce(), channelId, content, createdAt }))
      onSend(channelId)
      await runQueue(channelId)
    },

    async retry(channelId: string, nonce: string) {
      const message = unsent.get(nonce)
      if (!message?.problem) return
      const { problem: _, rejected: __, ...queued } = message
      unsent.update(queued)
      show(queued)
      await runQueue(channelId)
    },

    /** Call it when the service may be reachable again. */
    retryAll: sendAll,

    discard(channelId: string, nonce: string) {
      unsent.remove(nonce)
      timelines.update(channelId, timeline => removePending(timeline, nonce))
    },

    /** MESSAGE_CREATE with this nonce: the service has accepted the message. */
    markAccepted(channelId: string, nonce: string) {
      unsent.remove(nonce)
      // A channel that was not opened shows the message when it is opened.
      if (!timelines.get(channelId).loaded) {
        timelines.update(channelId, timeline => removePending(timeline, nonce))
      }
    },

    /** Call it on a `storage` event: another tab may have added, changed or removed a message. */
    handleStorageEvent(key: string | null) {
      if (!unsent.isOwnKey(key)) return
      const all = unsent.list()
      const shown = new Set(
        [...timelines.store.get().values()].flatMap(({ pending }) => pending.map(({ nonce }) => nonce)),
      )
      for (const [channelId, { pending }] of timelines.store.get()) {
        for (const { nonce } of pending) {
          if (inFlight.has(nonce) || unsent.get(nonce)) continue
          timelines.update(channelId, timeline => removePending(timeline, nonce))
        }
      }
      // The other tab is sending the messages without a problem. They are shown here only if that fails.
      showRestored(all.filter(({ nonce, problem }) => problem && !shown.has(nonce)))
      for (const message of all) {
        if (shown.has(message.nonce) && !inFlight.has(message.nonce)) show(message)
      }
      // Waits for the lock of the other tab, then sends the messages that remain if that tab was closed.
      if (exclusive) void sendAll()
    },

    /** Removes all unsent messages, at sign-out. */
    clearUnsent: () => unsent.clear(),
  }
}

const isRateLimit = (error: unknown) => error instanceof ApiError && error.status === 429
const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401
