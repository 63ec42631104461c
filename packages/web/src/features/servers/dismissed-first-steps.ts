import { browserLocalStorage as storage } from '../../core/stores/browser-storage.ts'

const prefix = 'first-steps:'

/** The servers on which the user dismissed the first steps, in `localStorage`. */
export const dismissedFirstSteps = {
  has: (serverId: string) => storage.get(prefix + serverId) !== undefined,
  add: (serverId: string) => storage.set(prefix + serverId, 'done'),
}
