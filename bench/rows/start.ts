import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Row } from '../bench.ts'
import { medianOf } from '../bench.ts'
import { HttpConnection } from '../load/http-client.ts'

export const startRow: Row = {
  name: 'start',
  ofOneNode: true,
  what: 'start to first answer',
  async run(bench) {
    const { service } = await bench.startTarget()
    const times: number[] = []
    const bare: number[] = []
    for (let round = 0; round < bench.rounds; round++) {
      await service.end('SIGTERM')
      const startedAt = performance.now()
      // `start()` polls every 10 ms, which is too coarse.
      const started = service.start()
      times.push((await waitForFirstResponse(service.port)) - startedAt)
      await started
      bare.push(await measureBareStart())
    }
    const ms = medianOf(times, time => time)
    return [
      {
        what: 'start to first answer',
        sides: { ours: `${ms.toFixed(0)} ms`, 'node alone': `${medianOf(bare, time => time).toFixed(0)} ms` },
        figure: `${ms.toFixed(0)} ms`,
        goal: 'under 1 s',
        isReached: ms < 1000,
        errors: {},
      },
    ]
  },
}

async function waitForFirstResponse(port: number): Promise<number> {
  const connection = new HttpConnection(port)
  for (;;) {
    const response = await connection.request({ method: 'GET', path: '/healthz' }).catch(() => undefined)
    if (response?.status === 200) break
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  connection.close()
  return performance.now()
}

/** The time that Node.js needs to start and exit. */
async function measureBareStart(): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  await new Promise(resolve => child.once('exit', resolve))
  return performance.now() - startedAt
}
