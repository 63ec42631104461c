import { isJsonObject } from '@gatehouse/protocol/json-object'
import type { Subscription } from '../bus/bus.ts'
import { subjects } from '../events/gateway-events.ts'
import type { Deps } from './interaction-deps.ts'

interface Watch<Entry> {
  entries: Set<Entry>
  subscriptions: Promise<Subscription[]>
}

interface SessionHandlers<Entry> {
  onConnected(entry: Entry): void
  onDisconnected(entry: Entry, sessionId: string): void
}

/**
 * The subscriptions to the gateway sessions of applications that connect and disconnect. Entries of one application
 * share them, and are called in the order in which they were added.
 */
export function createSessionWatches<Entry>(
  { bus }: Pick<Deps, 'bus'>,
  { onConnected, onDisconnected }: SessionHandlers<Entry>,
) {
  const watches = new Map<string, Watch<Entry>>()

  function subscribe(applicationId: string): Watch<Entry> {
    const entries = new Set<Entry>()
    const subscriptions = Promise.all([
      bus.subscribe(subjects.gatewaySessionDisconnected(applicationId), message => {
        if (!isJsonObject(message) || typeof message.sessionId !== 'string') return
        for (const entry of entries) onDisconnected(entry, message.sessionId)
      }),
      bus.subscribe(subjects.gatewaySessionConnected(applicationId), () => {
        for (const entry of entries) onConnected(entry)
      }),
    ])
    const watch = { entries, subscriptions }
    watches.set(applicationId, watch)
    return watch
  }

  return {
    /** Resolves when no session is missed any more. */
    async add(applicationId: string, entry: Entry): Promise<void> {
      const watch = watches.get(applicationId) ?? subscribe(applicationId)
      watch.entries.add(entry)
      await watch.subscriptions
    },

    remove(applicationId: string, entry: Entry): void {
      const watch = watches.get(applicationId)
      if (!watch?.entries.delete(entry) || watch.entries.size > 0) return
      watches.delete(applicationId)
      watch.subscriptions.then(
        subscriptions => {
          for (const subscription of subscriptions) subscription.close()
        },
        () => undefined,
      )
    },
  }
}
