/** The listeners of events. */
export interface Listeners<Events> {
  /** Returns a function that removes the listener. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => unknown): () => void
  has(name: keyof Events): boolean
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void
}

/** A listener that throws or rejects does not affect the others. `onError` receives the error. */
export function createListeners<Events>(onError: (error: unknown) => void): Listeners<Events> {
  const listenersByName = new Map<keyof Events, Set<(value: never) => unknown>>()

  async function call<Value>(listener: (value: Value) => unknown, value: Value) {
    try {
      await listener(value)
    } catch (error) {
      onError(error)
    }
  }

  return {
    on(name, listener) {
      const listeners = listenersByName.get(name) ?? new Set()
      listenersByName.set(name, listeners.add(listener))
      return () => void listeners.delete(listener)
    },
    has: name => (listenersByName.get(name)?.size ?? 0) > 0,
    emit(name, value) {
      for (const listener of listenersByName.get(name) ?? []) {
        // `on` guarantees that the listeners of a name accept the value of that name; the type of the map does not.
        void call(listener as (value: unknown) => unknown, value)
      }
    },
  }
}
