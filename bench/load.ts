// The load generator runs in its own process, separate from the measured one. It receives jobs over IPC, one at a time.
import { runClosed } from './load/closed.ts'
import { createCrowd } from './load/crowd.ts'
import { runRoundTrips } from './load/round-trips.ts'

const crowd = createCrowd()

export const jobs = {
  closed: runClosed,
  roundTrips: runRoundTrips,
  gather: crowd.gather,
  say: crowd.say,
  leave: async () => crowd.leave(),
} as const

process.on('message', (message: { name: keyof typeof jobs; argument: never }) => {
  const job: (argument: never) => Promise<unknown> = jobs[message.name]
  job(message.argument).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})
