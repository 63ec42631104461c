import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Row } from '../bench.ts'
import { medianOf } from '../bench.ts'
import { HttpConnection, requestText } from '../load/http-connection.ts'

export const startRow: Row = {
  name: 'start',
  ofOneNode: true,
  what: 'start to first answer',
  async run(bench) {
    const { service } = await bench.startSubject()
    const times: number[] = []
    const bare: number[] = []
    for (let round = 0; round < bench.rounds; round++) {
      await service.end('SIGTERM')
      const begun = performance.now()
      // Not `start()` alone: it asks by fetch every 10 ms.
      const started = service.start()
      times.push((await firstAnswer(service.port)) - begun)
      await started
      bare.push(await bareStart())
    }
    const ms = medianOf(times, time => time)
    return [
      {
        what: 'start to first answer',
        sides: { ours: `${ms.toFixed(0)} ms`, 'node alone': `${medianOf(bare, time => time).toFixed(0)} ms` },
        figure: `${ms.toFixed(0)} ms`,
        goal: 'under 1 s',
        holds: ms < 1000,
        errors: {},
      },
    ]
  },
}

async function firstAnswer(port: number): Promise<number> {
  for (;;) {
    const connection = new HttpConnection(port)
    const answer = await connection.request(requestText('GET', '/healthz')).catch(() => undefined)
    connection.close()
    if (answer?.status === 200) return performance.now()
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

/** What the runtime itself needs to begin and end. */
async function bareStart(): Promise<number> {
  const begun = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  await new Promise(resolve => child.once('exit', resolve))
  return performance.now() - begun
}
