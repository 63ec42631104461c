import type { Readable } from 'node:stream'
import { AppError } from '../kit/app-error.ts'
import type { Timers } from '../kit/clock.ts'

/** D45: how long the body of a request may take from its head on. */
const bodyMs = 30_000

/** Makes whoever reads the body fail with 408 `request_timeout` where it is not complete in time. */
export function limitBodyTime(body: Readable, timers: Timers): void {
  const timer = timers.after(bodyMs, () => {
    // Not destroyed: the answer goes out on the same connection. Where nobody reads (any more), it is answered already.
    if (body.listenerCount('error') > 0) body.emit('error', late())
  })
  for (const over of ['end', 'close']) body.once(over, () => timer.cancel())
}

function late(): AppError {
  return new AppError('request_timeout', `The body was not complete within ${bodyMs / 1000} seconds.`)
}
