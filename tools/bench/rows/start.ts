import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readMemory, readProcessorTime, startServiceProcess } from '@gatehouse/testkit/service-process'
import { median } from '../load.ts'
import { figure, type Row } from '../report.ts'

const main = join(import.meta.dirname, '../../../dist/gatehouse/packages/server/dist/main.js')

/** The built service with the cache of an earlier start. Linux only. */
export const startRow: Row = {
  name: 'start',
  ofOneNode: true,
  what: 'start to the first response, beside bare Node.js, and idle memory',
  async *run(bench) {
    const ours: number[] = []
    const node: number[] = []
    const memory: number[] = []
    const service = await startServiceProcess({ main })
    for (let round = 0; round < bench.rounds; round++) {
      await service.end('SIGTERM')
      await service.start()
      ours.push(readProcessorTime(service.pid()) * 1000)
      await wait(5000)
      memory.push(readMemory(service.pid()) / 2 ** 20)
      const script = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'
      node.push(Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })))
    }
    await service.remove()
    const ms = (value: number) => `${value.toFixed(0)} ms`
    const mib = (value: number) => `${value.toFixed(0)} MiB`
    yield {
      what: 'start to the first response',
      sides: { ours: ms(median(ours)), 'node -e': ms(median(node)) },
      figures: [
        figure('processor time', median(ours), ms, { most: 500 }),
        figure('memory after five seconds', median(memory), mib, { most: 100 }),
      ],
      errors: {},
    }
  },
}
