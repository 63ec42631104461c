import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readMemory, readProcessorTime, startServiceProcess } from '@gatehouse/testkit/service-process'
import type { Bench } from '../bench.ts'
import { compare, type Result } from '../report.ts'

const main = join(import.meta.dirname, '../../../dist/gatehouse/packages/server/dist/main.js')

/** The built service with the cache of an earlier start. Linux only. */
export async function* start(bench: Bench): AsyncGenerator<Result> {
  const service = await startServiceProcess({ main })
  const ours = async () => {
    await service.end('SIGTERM')
    await service.start()
    const start = readProcessorTime(service.pid()) * 1000
    await wait(5000)
    return { start, memory: readMemory(service.pid()) / 2 ** 20 }
  }
  const goals = { ours: { start: { most: 500 }, memory: { most: 100 } } }
  yield await compare(bench, 'start, and memory after five seconds', { ours }, goals)
  await service.remove()
}
