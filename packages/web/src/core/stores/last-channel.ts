const prefix = 'last-channel:'

/**
 * State of the history entry for a server that the user just joined: it opens a channel on a narrow screen too, instead
 * of the channel list.
 */
export const justJoined = 'just-joined'

/** The server and the channels that the user opened last, in `localStorage` if the browser permits it. */
export const lastChannel = {
  serverId: () => read(`${prefix}server`),
  channelId: (serverId: string) => read(prefix + serverId),
  set(serverId: string, channelId: string) {
    try {
      localStorage.setItem(`${prefix}server`, serverId)
      localStorage.setItem(prefix + serverId, channelId)
    } catch {
      // A private window may deny the storage. The first channel opens then.
    }
  },
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
