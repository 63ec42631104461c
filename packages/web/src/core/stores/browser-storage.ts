/**
 * Storage that the browser may deny, for example in a private window: there are no values then, and changes do nothing.
 */
function createBrowserStorage(open: () => Storage) {
  function attempt<Result>(work: (storage: Storage) => Result): Result | undefined {
    try {
      return work(open())
    } catch {
      return undefined
    }
  }
  return {
    get: (key: string) => attempt(storage => storage.getItem(key)) ?? undefined,
    set: (key: string, value: string) => attempt(storage => storage.setItem(key, value)),
    remove: (key: string) => attempt(storage => storage.removeItem(key)),
  }
}

export const browserLocalStorage = createBrowserStorage(() => localStorage)
export const browserSessionStorage = createBrowserStorage(() => sessionStorage)
