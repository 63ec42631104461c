import { HttpConnection } from './http-connection.ts'
import { type Ports, portOf } from './ports.ts'
import { lanesOf, type Scenario } from './scenarios.ts'
import { createCounter, type Tally } from './tally.ts'

export interface ClosedJob {
  port: Ports
  connections: number
  scenario: Scenario
  /** Ends after this many milliseconds, or when the scenario has nothing left to do. */
  ms: number
}

export interface ClosedResult extends Tally {
  found: string[]
}

/** Each connection asks again as soon as it was answered. */
export async function runClosed({ port, connections, scenario, ms }: ClosedJob): Promise<ClosedResult> {
  const found: string[] = []
  const lane = lanesOf(scenario, found)
  const counter = createCounter()
  const start = performance.now()
  let last = start

  async function work(number: number): Promise<void> {
    const connection = new HttpConnection(portOf(port, number))
    const { next, check } = lane()
    for (;;) {
      const begun = performance.now()
      const text = begun - start < ms ? next() : undefined
      if (text === undefined) break
      const fault = await connection.request(text).then(check, (error: Error) => error.message)
      last = performance.now()
      counter.count(last - begun, fault)
    }
    connection.close()
  }

  await Promise.all(Array.from({ length: connections }, (_, number) => work(number)))
  const tally = counter.tally(last - start)
  if (tally.done === 0) tally.errors['nothing was done'] = 1
  return { ...tally, found }
}
