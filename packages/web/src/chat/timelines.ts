import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import type { Api } from '../api/client.ts'
import { createHistory, type MessageHistory, unloaded } from './history.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { runSize, trim } from './run.ts'
import { arrived, remove, renamed, type Timeline, update } from './timeline.ts'
import { createTimelineStore, messagesPath, type TimelineStore } from './timeline-store.ts'

/** The messages of the channels that were opened, kept up to date by the gateway. */
export interface Timelines
  extends Pick<TimelineStore, 'store' | 'of'>,
    Omit<MessageHistory, 'isLoading' | 'readAgain'>,
    Outbox {
  /** Lets go of what is far from this message, where too much is loaded. */
  trim(channelId: string, around: string): void
  edit(message: Message, content: string): Promise<void>
  delete(message: Message): Promise<void>
  /** An ephemeral message is put away by its reader: nobody else knows of it. */
  dismiss(message: Message): void
  /** `nonce`: of one's own, that with which it was sent. */
  arrived(message: Message, nonce?: string): void
  /** Somebody has another name or picture from now on. */
  renamed(user: User): void
  updated(message: Message): void
  removed(channelId: string, messageId: string): void
  forget(channelId: string): void
  /** Events were missed: reads again what is on the screen, forgets the rest. */
  catchUp(): void
  /** The channel that is on the screen. */
  show(channelId: string | undefined): void
}

interface Options {
  api: Api
  now(): number
}

export function createTimelines({ api, now }: Options): Timelines {
  const timelines = createTimelineStore()
  const { store, of, change } = timelines
  const { isLoading, readAgain, ...history } = createHistory(api, timelines)
  const outbox = createOutbox({
    api,
    now,
    timelines,
    // What one says is at the end of the channel: it is seen there, or by a failure that stays.
    onSend: channelId => history.loadPresent(channelId).catch(() => undefined),
  })
  let shown: string | undefined

  return {
    store,
    of,
    ...history,
    ...outbox,
    trim(channelId, around) {
      if (of(channelId).messages.length > runSize.most) change(channelId, now => trim(now, around))
    },
    async edit(message, content) {
      const path = messagesPath(message.channelId, `/${message.id}`)
      const edited = await api.send<Message>('PATCH', path, { content })
      change(message.channelId, timeline => update(timeline, edited))
    },
    async delete(message) {
      await api.send('DELETE', messagesPath(message.channelId, `/${message.id}`))
      change(message.channelId, timeline => remove(timeline, message.id))
    },
    dismiss: message => change(message.channelId, timeline => remove(timeline, message.id)),
    arrived: (message, nonce) => {
      // A channel that was not opened yet reads its messages when it is; what only comes by events is kept for it.
      if (!of(message.channelId).loaded && !message.ephemeral && !isLoading(message.channelId)) return
      change(message.channelId, timeline => {
        const after = arrived(timeline, message, nonce)
        const tooMany = after.messages.length > runSize.most && message.channelId !== shown
        return tooMany ? trim(after, message.id) : after
      })
    },
    renamed: user =>
      store.set(map => {
        const changed = [...map].map(([id, timeline]): [string, Timeline] => [id, renamed(timeline, user)])
        return changed.some(([id, timeline]) => map.get(id) !== timeline) ? new Map(changed) : map
      }),
    updated: message => change(message.channelId, timeline => update(timeline, message)),
    removed: (channelId, messageId) => change(channelId, timeline => remove(timeline, messageId)),
    forget: channelId => store.set(map => new Map([...map].filter(([id]) => id !== channelId))),
    catchUp() {
      const channelId = shown
      store.set(map => {
        // What no history gives must not be lost with what is read again.
        const kept = [...map].map(([id, timeline]): [string, Timeline] => {
          if (id === channelId) return [id, timeline]
          return [id, unloaded(timeline)]
        })
        return new Map(kept)
      })
      if (!channelId) return
      // It may have been deleted meanwhile, and is read when one comes there.
      change(channelId, now => ({ ...now, ahead: [] }))
      readAgain(channelId)
    },
    show(channelId) {
      const left = shown
      shown = channelId
      // Opened again it shows its newest messages.
      if (left && left !== channelId) change(left, now => (now.present ? now : unloaded(now)))
    },
  }
}
