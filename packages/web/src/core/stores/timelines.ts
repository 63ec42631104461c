import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import type { Api } from '../api/client.ts'
import { createMessageHistory, unloadTimeline } from './message-history.ts'
import { rangeSize, trimRange } from './message-range.ts'
import { createOutbox, type OutboxOptions } from './outbox.ts'
import { addArrived, removeMessage, updateAuthor, updateMessage } from './timeline.ts'
import { createTimelineStore } from './timeline-store.ts'

interface Options extends Pick<OutboxOptions, 'now' | 'timers' | 'random' | 'unsent' | 'exclusive'> {
  api: Api
}

export type Timelines = ReturnType<typeof createTimelines>

/** The messages of the channels that were opened, which the gateway keeps up to date. */
export function createTimelines({ api, ...options }: Options) {
  const timelines = createTimelineStore()
  const { store, get, update } = timelines
  const { isLoading, loadingChannelIds, applyChange, refetch, outdate, ...history } = createMessageHistory({
    api,
    timelines,
    timers: options.timers,
    random: options.random,
    isOpen: channelId => channelId === openChannelId,
  })
  const { markAccepted, ...outbox } = createOutbox({
    ...options,
    api,
    timelines,
    isLoading,
    // A new message is at the end of the channel, so the user must see the end. A failed request shows its own error.
    onSend: channelId => history.loadNewest(channelId).catch(() => undefined),
  })
  let openChannelId: string | undefined

  return {
    store,
    get,
    ...history,
    ...outbox,

    /** Unloads messages far from `messageId` if too many are loaded. */
    trim(channelId: string, messageId: string) {
      if (get(channelId).messages.length > rangeSize.max) {
        update(channelId, timeline => trimRange(timeline, messageId))
      }
    },

    async edit(message: Message, content: string) {
      const edited = await api.call('updateMessage', {
        id: message.channelId,
        messageId: message.id,
        body: { content },
      })
      applyChange(message.channelId, timeline => updateMessage(timeline, edited))
    },

    async delete(message: Message) {
      await api.call('deleteMessage', { id: message.channelId, messageId: message.id })
      update(message.channelId, timeline => removeMessage(timeline, message.id))
    },

    /** Removes an ephemeral message from this client only: the API does not delete it for the user. */
    dismiss: (message: Message) => update(message.channelId, timeline => removeMessage(timeline, message.id)),

    /** `nonce`: of an own message, the nonce of its request. */
    messageCreated(message: Message, nonce?: string) {
      const { channelId } = message
      if (nonce !== undefined) markAccepted(channelId, nonce)
      // A channel loads its messages when it is opened. Only ephemeral messages must be stored until then.
      if (!get(channelId).loaded && !message.ephemeral && !isLoading(channelId)) return
      update(channelId, timeline => {
        const added = addArrived(timeline, message, nonce)
        const mustTrim = added.messages.length > rangeSize.max && channelId !== openChannelId
        return mustTrim ? trimRange(added, message.id) : added
      })
    },

    messageUpdated: (message: Message) =>
      applyChange(message.channelId, timeline => updateMessage(timeline, message)),

    messageDeleted: (channelId: string, messageId: string) =>
      update(channelId, timeline => removeMessage(timeline, messageId)),

    /** The user has a new name or avatar. */
    userUpdated(user: User) {
      for (const channelId of new Set([...store.get().keys(), ...loadingChannelIds()])) {
        applyChange(channelId, timeline => updateAuthor(timeline, user))
      }
    },

    removeChannel(channelId: string) {
      outdate(channelId)
      store.set(map => new Map([...map].filter(([id]) => id !== channelId)))
    },

    /** Call it after a gap in the events: loads the visible channel again and unloads the others. */
    refetchAfterGap() {
      const visible = openChannelId
      outdate()
      store.set(
        map =>
          new Map(
            [...map].map(([id, timeline]) => [id, id === visible ? timeline : unloadTimeline(timeline)]),
          ),
      )
      if (!visible) return
      // A buffered message may have been deleted during the gap. It is loaded again when the user scrolls to it.
      update(visible, timeline => ({ ...timeline, buffered: [] }))
      void refetch(visible)
    },

    /** The channel that is open, also while the tab is hidden. */
    setOpenChannel(channelId: string | undefined) {
      const previous = openChannelId
      openChannelId = channelId
      // A channel that is opened again shows its newest messages.
      if (previous && previous !== channelId) {
        update(previous, timeline => (timeline.reachesEnd ? timeline : unloadTimeline(timeline)))
      }
    },
  }
}
