import { browserLocalStorage as storage } from './browser-storage.ts'

const prefix = 'last-channel:'

/**
 * State of the history entry for a server that the user just joined: it opens a channel on a narrow screen too, instead
 * of the channel list.
 */
export const justJoined = 'just-joined'

/** The server and the channels that the user opened last, in `localStorage`. */
export const lastChannel = {
  serverId: () => storage.get(`${prefix}server`),
  channelId: (serverId: string) => storage.get(prefix + serverId),
  set(serverId: string, channelId: string) {
    storage.set(`${prefix}server`, serverId)
    storage.set(prefix + serverId, channelId)
  },
}
