import { HttpConnection } from './http-client.ts'
import { type Ports, portOf } from './ports.ts'
import { lanesOf, type Scenario } from './scenarios.ts'
import { createCounter, type Tally } from './tally.ts'

export interface ClosedJob {
  port: Ports
  connections: number
  scenario: Scenario
  /** Maximum duration in milliseconds. The job ends earlier if the scenario has no more requests. */
  ms: number
}

export interface ClosedResult extends Tally {
  found: string[]
}

/** Closed loop: each connection sends its next request when it has received the response. */
export async function runClosed({ port, connections, scenario, ms }: ClosedJob): Promise<ClosedResult> {
  const found: string[] = []
  const createLane = lanesOf(scenario, found)
  const counter = createCounter()
  const start = performance.now()
  let endedAt = start

  async function runConnection(number: number): Promise<void> {
    const connection = new HttpConnection(portOf(port, number))
    const { next, check } = createLane()
    for (;;) {
      const startedAt = performance.now()
      const request = startedAt - start < ms ? next() : undefined
      if (request === undefined) break
      const fault = await connection.request(request).then(check, (error: Error) => error.message)
      endedAt = performance.now()
      counter.count(endedAt - startedAt, fault)
    }
    connection.close()
  }

  await Promise.all(Array.from({ length: connections }, (_, number) => runConnection(number)))
  const tally = counter.tally(endedAt - start)
  if (tally.done === 0) tally.errors['nothing was done'] = 1
  return { ...tally, found }
}
