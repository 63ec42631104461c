import { type RequestOptions, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { readProcessorTime } from '@gatehouse/testkit/service-process'
import autocannon from 'autocannon'

/** The processes that a load is for: the nodes of a service, or a peer. */
export interface Server {
  ports: readonly number[]
  pids(): number[]
}

/** What a side can measure. */
export const units = {
  rate: '/s',
  // From the request to the expected response.
  p50: 'ms',
  p99: 'ms',
  // The processor time of the server for each operation.
  processor: 'µs',
  // That of a process up to its first response.
  start: 'ms',
  memory: 'MiB',
  scripts: 'KB',
  usable: 'ms',
} as const

export type Field = keyof typeof units

export interface Load extends Partial<Record<Field, number>> {
  /** The number of unexpected responses by text. With any, the row is not valid. */
  errors?: Record<string, number>
}

export interface ClosedLoop {
  requests: autocannon.Request[]
  status: number
  /** Text that each body must contain. */
  contains?: string
  /** At most `amount`. Default: 50. */
  connections?: number
  /** The number of requests. Otherwise the load ends after `seconds`. */
  amount?: number
  seconds?: number
}

// Longer than any wait on a busy machine: a stall shows in p99.
export const timeoutMs = 60_000

/** Each connection sends its next request when it has received the response. They use the ports in turn. */
export async function closedLoop(server: Server, job: ClosedLoop): Promise<Load> {
  const { requests, status, contains = '', connections = 50, amount, seconds = 1 } = job
  const counter = createCounter(server)
  const options = {
    // The types lack lists of URLs.
    url: server.ports.map(port => `http://127.0.0.1:${port}`) as unknown as string,
    connections,
    requests,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    // The interval at which it looks whether the load is over, in milliseconds.
    sampleInt: 20,
    timeout: timeoutMs / 1000,
    verifyBody(body: string | Buffer = '') {
      if (!body.includes(contains)) counter.fail(`not ${contains}: ${String(body).slice(0, 120)}`)
      return true
    },
  }
  const { errors, requests: total } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
    run.on('response', (_client, received, _bytes, ms) => {
      if (received === status) counter.count(ms)
      else counter.fail(`status ${received}`)
    })
  })
  // When the time is over, each connection waits for one response.
  const lost = total.sent - total.total - (amount === undefined ? connections : 0)
  if (errors > 0) counter.fail('connection error or timeout', errors)
  if (lost > 0) counter.fail('no response', lost)
  return counter.end()
}

/**
 * Starts tasks at a fixed rate a second. Each is measured from its scheduled time, so that a stall of the server shows.
 * A task rejects if it gets an unexpected response.
 */
export async function openLoop(
  server: Server,
  { rate, seconds }: { rate: number; seconds: number },
  task: (number: number) => Promise<unknown>,
): Promise<Load> {
  const counter = createCounter(server)
  const start = performance.now()
  const late = wait(seconds * 1000 + timeoutMs, undefined, { ref: false }).then(() =>
    Promise.reject(new Error(`not over after ${timeoutMs} ms`)),
  )
  const tasks: Promise<void>[] = []
  for (let number = 0; number < rate * seconds; number++) {
    const scheduled = start + (number / rate) * 1000
    const early = scheduled - performance.now()
    if (early > 0) await wait(early)
    const ended = Promise.race([task(number), late]).then(
      () => counter.count(performance.now() - scheduled),
      (error: Error) => counter.fail(error.message),
    )
    tasks.push(ended)
  }
  await Promise.all(tasks)
  return counter.end()
}

export function createCounter({ pids }: Server) {
  const times: number[] = []
  const errors: Record<string, number> = {}
  const readTime = () => pids().reduce((sum, pid) => sum + readProcessorTime(pid) * 1e6, 0)
  const start = performance.now()
  const timeBefore = readTime()
  return {
    count(ms: number): void {
      times.push(ms)
    },
    fail(text: string, count = 1): void {
      errors[text] = (errors[text] ?? 0) + count
    },
    end(): Load {
      if (times.length === 0) errors['no expected response'] = 1
      return {
        rate: (times.length / (performance.now() - start)) * 1000,
        p50: median(times),
        p99: quantile(times, 0.99),
        processor: (readTime() - timeBefore) / times.length,
        errors,
      }
    },
  }
}

/** By nearest rank. NaN for an empty list. */
function quantile(values: readonly number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]) => quantile(values, 0.5)

export type HttpRequest = Pick<RequestOptions, 'method' | 'path' | 'headers'> & {
  body?: string
  status: number
}

/** Returns the body. Rejects if the response has another status. Requests by number use the ports in turn. */
export function send({ ports }: Pick<Server, 'ports'>, sent: HttpRequest, number = 0): Promise<string> {
  const { body, status, ...options } = sent
  const port = ports[number % ports.length]
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, host: '127.0.0.1', port }, async response => {
      const text = Buffer.concat(await response.toArray()).toString()
      if (response.statusCode === status) resolve(text)
      else reject(new Error(`${options.method} ${response.statusCode} ${text.slice(0, 80)}`))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
