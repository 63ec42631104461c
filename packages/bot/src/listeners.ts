/** The listeners of events. */
export interface Listeners<Events, Context> {
  /** Returns a function that removes the listener. */
  on<Name extends keyof Events>(
    name: Name,
    listener: (value: Events[Name], context: Context) => unknown,
  ): () => void
  has(name: keyof Events): boolean
  /** Resolves when all listeners have ended. Never rejects. */
  emit<Name extends keyof Events>(name: Name, value: Events[Name], context: Context): Promise<void>
}

/** A listener that throws or rejects does not affect the others. `onError` receives the error. */
export function createListeners<Events, Context>(
  onError: (error: unknown) => void,
): Listeners<Events, Context> {
  const listenersByName = new Map<keyof Events, Set<(value: never, context: Context) => unknown>>()

  async function call<Value>(
    listener: (value: Value, context: Context) => unknown,
    value: Value,
    context: Context,
  ) {
    try {
      await listener(value, context)
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
    async emit(name, value, context) {
      const listeners = [...(listenersByName.get(name) ?? [])]
      // `on` guarantees that the listeners of a name accept the value of that name; the type of the map does not.
      await Promise.all(
        listeners.map(listener =>
          call(listener as (value: unknown, context: Context) => unknown, value, context),
        ),
      )
    },
  }
}
