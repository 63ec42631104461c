const prefix = 'first-steps:'

/** On which servers the first steps were put away, kept by the browser; a browser that keeps nothing is fine. */
export const firstStepsDone = {
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
      // Private windows may refuse; then they are there again after a reload.
    }
  },
}
