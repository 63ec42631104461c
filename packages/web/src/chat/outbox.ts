import type { Message } from '@gatehouse/protocol/messages'
import { type Api, isPassing, makeNonce } from '../api/client.ts'
import { addPending, dropPending, failed, sent } from './timeline.ts'
import { messagesPath, type TimelineStore } from './timeline-store.ts'

/** What one says, on its way to the service. */
export interface Outbox {
  /** `describe` puts a failure into words. */
  send(channelId: string, content: string, describe: (error: unknown) => string): Promise<void>
  retry(channelId: string, nonce: string, describe: (error: unknown) => string): Promise<void>
  /** The service is reached again: what could not be delivered goes out, in the order in which it was written. */
  sendWhatWaits(): Promise<void>
  discard(channelId: string, nonce: string): void
}

interface Options {
  api: Pick<Api, 'send'>
  now(): number
  timelines: TimelineStore
  /** A message is in the timeline, about to go out. */
  onSend(channelId: string): void
}

export function createOutbox({ api, now, timelines: { store, of, change }, onSend }: Options): Outbox {
  /** How each failure is put into words, for those that go out again. */
  const words = new Map<string, (error: unknown) => string>()

  async function post(
    channelId: string,
    nonce: string,
    content: string,
    describe: (error: unknown) => string,
  ) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const message = await api.send<Message>('POST', messagesPath(channelId), { content, nonce })
        words.delete(nonce)
        return change(channelId, timeline => sent(timeline, nonce, message))
      } catch (error) {
        // The nonce makes a repeat harmless, so one that may have got through is repeated once.
        if (attempt === 1 && isPassing(error)) continue
        const why = { problem: describe(error), ...(isPassing(error) ? { passing: true as const } : {}) }
        return change(channelId, timeline => failed(timeline, nonce, why))
      }
    }
  }

  async function again(channelId: string, nonce: string, describe: (error: unknown) => string) {
    const pending = of(channelId).pending.find(other => other.nonce === nonce)
    if (pending?.state !== 'failed') return
    const { content } = pending
    const createdAt = new Date(now()).toISOString()
    change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
    await post(channelId, nonce, content, describe)
  }

  return {
    async send(channelId, content, describe) {
      const nonce = makeNonce()
      const createdAt = new Date(now()).toISOString()
      change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
      words.set(nonce, describe)
      onSend(channelId)
      await post(channelId, nonce, content, describe)
    },
    retry: again,
    async sendWhatWaits() {
      for (const [channelId, { pending }] of store.get()) {
        for (const { nonce, passing } of pending) {
          const describe = passing && words.get(nonce)
          if (describe) await again(channelId, nonce, describe)
        }
      }
    },
    discard(channelId, nonce) {
      words.delete(nonce)
      change(channelId, timeline => dropPending(timeline, nonce))
    },
  }
}
