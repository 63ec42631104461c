const prefix = 'last-channel:'

/** Which server and channel were open last, kept by the browser; a browser that keeps nothing is fine. */
export const lastChannel = {
  server: () => read(`${prefix}server`),
  of: (serverId: string) => read(prefix + serverId),
  keep(serverId: string, channelId: string) {
    try {
      localStorage.setItem(`${prefix}server`, serverId)
      localStorage.setItem(prefix + serverId, channelId)
    } catch {
      // Private windows may refuse; then the first channel opens.
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
