import { setTimeout as wait } from 'node:timers/promises'
import { HttpConnection, type HttpRequest } from './http-client.ts'
import { type Ports, portOf } from './ports.ts'
import { createCounter, type LoadResult } from './statistics.ts'

const connections = 50

export interface OpenLoopRequest extends HttpRequest {
  /** The status of the expected response. Default: any 2xx. */
  expect?: number
}

/**
 * Sends the requests in turn at a fixed rate (open loop), until `isOver`. Each is measured from its scheduled time, so that a
 * stall of the service shows in the result. At most 50 are in flight: later ones wait, which counts too.
 */
export async function runOpenLoop(job: {
  port: Ports
  rate: number
  requests: readonly OpenLoopRequest[]
  isOver: (ms: number) => boolean
}): Promise<LoadResult> {
  const { port, rate, requests, isOver } = job
  const counter = createCounter()
  const start = performance.now()
  let sent = 0
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const connection = new HttpConnection(portOf(port, n))
      for (;;) {
        const scheduled = start + (++sent / rate) * 1000
        const request = requests[sent % requests.length]
        if (isOver(scheduled - start) || request === undefined) break
        await wait(Math.max(0, scheduled - performance.now()))
        const { status } = await connection.request(request)
        const isExpected = request.expect ? status === request.expect : status >= 200 && status < 300
        const fault = isExpected ? undefined : `${request.path}: ${status}`
        counter.count(performance.now() - scheduled, fault)
      }
      connection.close()
    }),
  )
  return counter.summarize(performance.now() - start)
}
