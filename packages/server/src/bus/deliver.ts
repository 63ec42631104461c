import type { BusMessage } from './bus.ts'

/** What became of a message or a handler that nobody is there to be told; the subject, never the message. */
export type ReportError = (error: unknown, subject: string) => void

export type Handler = (message: BusMessage) => void

/** Runs a handler so that its failure, also a later one, reaches neither the publisher nor the other handlers. */
export function deliver(handler: Handler, message: BusMessage, subject: string, report: ReportError): void {
  try {
    const result: unknown = handler(message)
    if (result instanceof Promise) result.catch(error => report(error, subject))
  } catch (error) {
    report(error, subject)
  }
}

/** A report that fails must not stop what it reports on. */
export function guarded(report: ReportError): ReportError {
  return (error, subject) => {
    try {
      report(error, subject)
    } catch {
      warn(error, subject)
    }
  }
}

/** Where nobody gave a way to report: on standard error, by the runtime. */
export function warn(error: unknown, subject: string): void {
  process.emitWarning(
    `bus: ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : 'failed'}`,
  )
}
