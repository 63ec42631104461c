import type { BusMessage } from './bus.ts'
import { deliver, type Handler, type ReportError } from './deliver.ts'

/** The subscribers of one subject, without a queue. */
export interface Listeners {
  add(handler: Handler): () => void
  /** Delivers to those who listen now, less those who have left by then. */
  moment(): (message: BusMessage) => void
  readonly size: number
}

export function createListeners(subject: string, report: ReportError): Listeners {
  // Replaced, never changed: a publication keeps the list of its moment.
  let all: readonly { handler: Handler; left: boolean }[] = []
  return {
    add(handler) {
      const listener = { handler, left: false }
      all = [...all, listener]
      return () => {
        listener.left = true
        all = all.filter(other => other !== listener)
      }
    },
    moment() {
      const listening = all
      return message => {
        for (const listener of listening) {
          if (!listener.left) deliver(listener.handler, message, subject, report)
        }
      }
    },
    get size() {
      return all.length
    },
  }
}
