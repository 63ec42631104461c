const prefix = 'first-steps:'

/** The servers on which the user dismissed the first steps, in `localStorage` if the browser permits it. */
export const dismissedFirstSteps = {
  has(serverId: string): boolean {
    try {
      return localStorage.getItem(prefix + serverId) !== null
    } catch {
      return false
    }
  },
  add(serverId: string): void {
    try {
      localStorage.setItem(prefix + serverId, 'done')
    } catch {
      // A private window may deny the storage. The first steps appear again after a reload.
    }
  },
}
