import { createStore } from './store.ts'
import { emptyTimeline, type Timeline } from './timeline.ts'

export type TimelineStore = ReturnType<typeof createTimelineStore>

/** The timelines by channel. */
export function createTimelineStore() {
  const store = createStore<ReadonlyMap<string, Timeline>>(new Map())
  return {
    store,
    get: (channelId: string) => store.get().get(channelId) ?? emptyTimeline,
    update(channelId: string, change: (timeline: Timeline) => Timeline) {
      store.set(timelines => {
        const before = timelines.get(channelId) ?? emptyTimeline
        const after = change(before)
        return after === before ? timelines : new Map(timelines).set(channelId, after)
      })
    },
  }
}
