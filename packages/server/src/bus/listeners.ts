import type { BusMessage } from './bus.ts'
import { deliver, type Handler, type ReportError } from './deliver.ts'

interface Listener {
  handler: Handler
  left: boolean
}

/** The subscribers of one subject, without a queue. There are as many as subjects are listened to: they are kept small. */
export class Listeners {
  readonly #subject: string
  readonly #report: ReportError
  // Replaced, never changed: a publication keeps the list of its moment.
  #all: readonly Listener[] = []

  constructor(subject: string, report: ReportError) {
    this.#subject = subject
    this.#report = report
  }

  add(handler: Handler): () => void {
    const listener = { handler, left: false }
    this.#all = [...this.#all, listener]
    return () => {
      listener.left = true
      this.#all = this.#all.filter(other => other !== listener)
    }
  }

  /** Delivers to those who listen now, less those who have left by then. */
  moment(): (message: BusMessage) => void {
    const listening = this.#all
    return message => {
      for (const listener of listening) {
        if (!listener.left) deliver(listener.handler, message, this.#subject, this.#report)
      }
    }
  }

  get size(): number {
    return this.#all.length
  }
}
