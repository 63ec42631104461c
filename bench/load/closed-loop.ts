import { HttpConnection } from './http-client.ts'
import { type Ports, portOf } from './ports.ts'
import { requestsOf, type Scenario } from './scenarios.ts'
import { createCounter, type LoadResult } from './statistics.ts'

export interface ClosedLoopJob {
  port: Ports
  connections: number
  scenario: Scenario
  /** Maximum duration in milliseconds. The job ends earlier if the scenario has no more requests. */
  ms: number
}

export interface ClosedLoopResult extends LoadResult {
  found: string[]
}

/** Closed loop: each connection sends its next request when it has received the response. */
export async function runClosedLoop({
  port,
  connections,
  scenario,
  ms,
}: ClosedLoopJob): Promise<ClosedLoopResult> {
  const found: string[] = []
  const createRequests = requestsOf(scenario, found)
  const counter = createCounter()
  const start = performance.now()
  let endedAt = start

  async function runConnection(number: number): Promise<void> {
    const connection = new HttpConnection(portOf(port, number))
    const { next, check } = createRequests()
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
  const result = counter.summarize(endedAt - start)
  if (result.done === 0) result.errors['nothing was done'] = 1
  return { ...result, found }
}
