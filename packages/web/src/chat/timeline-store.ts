import { createStore, type Store } from '../app/store.ts'
import { emptyTimeline, type Timeline } from './timeline.ts'

/** What is known of the messages, by channel. */
export interface TimelineStore {
  store: Store<ReadonlyMap<string, Timeline>>
  of(channelId: string): Timeline
  change(channelId: string, how: (timeline: Timeline) => Timeline): void
}

export function createTimelineStore(): TimelineStore {
  const store = createStore<ReadonlyMap<string, Timeline>>(new Map())
  return {
    store,
    of: channelId => store.get().get(channelId) ?? emptyTimeline,
    change(channelId, how) {
      store.set(map => {
        const before = map.get(channelId) ?? emptyTimeline
        const after = how(before)
        return after === before ? map : new Map(map).set(channelId, after)
      })
    },
  }
}

/** The address of a channel's messages, with what follows it. */
export function messagesPath(channelId: string, rest = ''): string {
  return `/api/channels/${channelId}/messages${rest}`
}
