import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Timers } from '../kit/clock.ts'
import type { QueuedBytes, QueuedConnection } from './queued-bytes.ts'

/** For speed, a smaller response is not watched. The rate of requests limits their number. */
const minWatchedBytes = 64 * 1024
const checkMs = 1000
/** A client that takes less than this between each of the last checks is slow. */
const minBytesPerCheck = 64 * 1024
/** More than one, because the buffers of the network are refilled in steps of up to a few MiB. */
const checksUntilSlow = 3

/**
 * Returns a function that watches a response which is about to be sent. Once a second it counts what the client has not
 * taken, if the client is slow (limits/slow-readers). A response of any size reaches a client that reads.
 */
export function createSlowReaderWatch(queuedBytes: QueuedBytes, timers: Timers) {
  return (
    request: IncomingMessage,
    response: ServerResponse,
    limitKey: string | undefined,
    bytes: number,
  ) => {
    if (bytes < minWatchedBytes) return
    const { socket } = request
    let unsent = bytes
    let checksWithoutProgress = 0
    const queue: QueuedConnection = {
      limitKey,
      get queuedBytes() {
        return checksWithoutProgress >= checksUntilSlow ? countUnsent(socket, response) : 0
      },
      terminate: () => socket.destroy(),
    }
    function check(): void {
      const before = unsent
      unsent = countUnsent(socket, response)
      checksWithoutProgress = before - unsent < minBytesPerCheck ? checksWithoutProgress + 1 : 0
      queuedBytes.update(queue)
      if (!socket.destroyed && !response.writableFinished) timer = timers.after(checkMs, check)
    }
    let timer = timers.after(checkMs, check)
    response.once('close', () => {
      timer.cancel()
      queuedBytes.delete(queue)
    })
  }
}

/** The bytes of a response that the network has not accepted. */
function countUnsent(socket: Socket, response: ServerResponse): number {
  if (socket.destroyed || response.writableFinished) return 0
  // A response to a pipelined request has no socket until those before it are sent.
  if (response.socket === null) return response.writableLength
  // `writableLength` contains a whole write until its last byte is accepted, so it does not show whether the client
  // reads.
  const handle: { writeQueueSize?: number } | null | undefined = Reflect.get(socket, '_handle')
  return handle?.writeQueueSize ?? response.writableLength
}
