import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import {
  freePort,
  readMemory,
  readProcessorTime,
  startServiceProcess,
} from '@gatehouse/testkit/service-process'
import type { Row } from '../bench.ts'
import { medianOf } from '../bench.ts'
import { HttpConnection } from '../load/http-client.ts'

const root = join(import.meta.dirname, '../..')
const main = join(root, 'dist/gatehouse/packages/server/dist/main.js')

const oneRoute = `const app = require('fastify')()
app.get('/healthz', async () => ({ status: 'ok' }))
app.listen({ port: Number(process.argv[1]) })`

/** The memory is read this long after the first response. */
const idleMs = 5000

interface Start {
  /** To the first response. */
  ms: number
  /** Of the processor, to the first response. */
  cpuMs: number
  idleBytes: number
}

/** The built service with the cache of an earlier start, beside Fastify with one route and Node.js alone. Linux only. */
export const startRow: Row = {
  name: 'start',
  ofOneNode: true,
  what: 'start to first answer',
  async run(bench) {
    const service = await startServiceProcess({ main })
    const ours: Start[] = []
    const fastify: Start[] = []
    const bare: number[] = []
    try {
      for (let round = 0; round < bench.rounds; round++) {
        await service.end('SIGTERM')
        const startedAt = performance.now()
        // `start()` polls every 10 ms, which is too coarse.
        const started = service.start()
        ours.push(await measure(service.port, startedAt, () => service.pid()))
        await started
        fastify.push(await measureOneRoute())
        bare.push(measureBareNode())
      }
    } finally {
      await service.remove()
    }
    const ms = medianOf(ours, start => start.ms)
    const cpuMs = medianOf(ours, start => start.cpuMs)
    const mib = medianOf(ours, start => start.idleBytes) / 2 ** 20
    const fastifyMib = medianOf(fastify, start => start.idleBytes) / 2 ** 20
    return [
      {
        what: 'start to first answer',
        sides: {
          ours: `${ms.toFixed(0)} ms`,
          'fastify, one route': `${medianOf(fastify, start => start.ms).toFixed(0)} ms`,
        },
        figure: `${ms.toFixed(0)} ms`,
        goal: 'under 1 s',
        isReached: ms < 1000,
        errors: {},
      },
      {
        what: 'processor time to first answer',
        sides: {
          ours: `${cpuMs.toFixed(0)} ms`,
          'fastify, one route': `${medianOf(fastify, start => start.cpuMs).toFixed(0)} ms`,
          'node alone': `${medianOf(bare, time => time).toFixed(0)} ms`,
        },
        figure: `${cpuMs.toFixed(0)} ms`,
        goal: 'under 500 ms',
        isReached: cpuMs < 500,
        errors: {},
      },
      {
        what: 'idle memory',
        sides: { ours: `${mib.toFixed(0)} MiB`, 'fastify, one route': `${fastifyMib.toFixed(0)} MiB` },
        figure: `${mib.toFixed(0)} MiB`,
        goal: 'at most 100 MiB',
        isReached: mib <= 100,
        errors: {},
      },
    ]
  },
}

async function measure(port: number, startedAt: number, pid: () => number): Promise<Start> {
  await waitForFirstResponse(port)
  const ms = performance.now() - startedAt
  const cpuMs = readProcessorTime(pid()) * 1000
  await wait(idleMs)
  return { ms, cpuMs, idleBytes: readMemory(pid()) }
}

async function measureOneRoute(): Promise<Start> {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['-e', oneRoute, String(port)], { cwd: root, stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('exit', resolve))
  try {
    return await measure(port, startedAt, () => child.pid ?? 0)
  } finally {
    child.kill()
    await ended
  }
}

/** The processor time of Node.js without a program, in milliseconds. */
function measureBareNode(): number {
  const { user, system } = JSON.parse(
    execFileSync(process.execPath, ['-p', 'JSON.stringify(process.cpuUsage())'], { encoding: 'utf8' }),
  )
  return (user + system) / 1000
}

async function waitForFirstResponse(port: number): Promise<void> {
  const connection = new HttpConnection(port)
  for (;;) {
    const response = await connection.request({ method: 'GET', path: '/healthz' }).catch(() => undefined)
    if (response?.status === 200) break
    await wait(2)
  }
  connection.close()
}
