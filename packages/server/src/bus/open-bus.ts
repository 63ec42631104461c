import type { Clock } from '../kit/clock.ts'
import type { Bus } from './bus.ts'
import { createLocalBus } from './local-bus.ts'

interface Options {
  /** Default: a bus in this process. */
  natsUrl: string | undefined
  clock: Clock
  onError: (error: unknown) => void
  /** Prefix of every NATS subject. */
  prefix: string | undefined
}

/** Imports NATS only if it is configured, because that delays the start. */
export async function openBus({ natsUrl, clock, onError, prefix }: Options): Promise<Bus> {
  if (natsUrl === undefined) return createLocalBus({ clock, onError })
  const { connectNatsBus } = await import('./nats/nats-bus.ts')
  return connectNatsBus(natsUrl, { clock, onError, ...(prefix === undefined ? {} : { prefix }) })
}
