import type { BusMessage } from './bus.ts'

/** Receives errors that have no caller to be thrown to. Gets the subject, never the message. */
export type OnError = (error: unknown, subject: string) => void

export type Handler = (message: BusMessage) => void

/** Isolates publisher and other handlers from errors of this handler, also from a rejected promise. */
function callHandler(handler: Handler, message: BusMessage, subject: string, onError: OnError): void {
  try {
    const result: unknown = handler(message)
    if (result instanceof Promise) result.catch(error => onError(error, subject))
  } catch (error) {
    onError(error, subject)
  }
}

/** Returns an `onError` that never throws. Without one, or if it throws, errors become warnings of the process. */
export function createSafeOnError(onError: OnError = emitWarning): OnError {
  return (error, subject) => {
    try {
      onError(error, subject)
    } catch {
      emitWarning(error, subject)
    }
  }
}

function emitWarning(error: unknown, subject: string): void {
  process.emitWarning(
    `bus: ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : 'failed'}`,
  )
}

interface Subscriber {
  handler: Handler
  closed: boolean
}

/** The subscribers of one subject that are not in a queue. One instance per subject, so it is small. */
export class SubscriberList {
  readonly #subject: string
  readonly #onError: OnError
  // Copied on each change, so that a snapshot is only a reference.
  #subscribers: readonly Subscriber[] = []

  constructor(subject: string, onError: OnError) {
    this.#subject = subject
    this.#onError = onError
  }

  /** Returns a function that removes the handler. */
  add(handler: Handler): () => void {
    const subscriber = { handler, closed: false }
    this.#subscribers = [...this.#subscribers, subscriber]
    return () => {
      subscriber.closed = true
      this.#subscribers = this.#subscribers.filter(other => other !== subscriber)
    }
  }

  /** Returns a function that calls the current subscribers, except those that unsubscribe before it is called. */
  snapshot(): (message: BusMessage) => void {
    const subscribers = this.#subscribers
    return message => {
      for (const subscriber of subscribers) {
        if (!subscriber.closed) callHandler(subscriber.handler, message, this.#subject, this.#onError)
      }
    }
  }

  get size(): number {
    return this.#subscribers.length
  }
}
