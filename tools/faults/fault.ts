import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { type ServiceProcess, startServiceProcess } from '../service-process.ts'

/** Something that is done to the service, and what must hold all the same. */
export interface Fault {
  name: string
  /** What must hold, in words. */
  holds: string
  /** Ended after this long; a short run has a third of it. */
  limitMs: number
  /** Throws where it does not hold; resolves to what was seen, in words. */
  run(trial: Trial): Promise<string>
}

export interface Trial {
  short: boolean
  seed: number
  rounds: number | undefined
  start: typeof startServiceProcess
  /** Done when the services of the trial have ended, whatever became of it; the last first. */
  after(f: () => unknown): void
  /** Remembers what must stand in no log. */
  secret(...values: readonly string[]): void
  /** Resolves to why the fault cannot be tried here: throws it. */
  cannot(reason: string): never
}

/** Where a fault cannot be tried: what it needs is missing. */
export class CannotBeTried extends Error {}

export interface Evidence {
  secrets: Set<string>
  /** All that the services of the whole run wrote. */
  logFile: string
}

interface Settings {
  short: boolean
  seed: number
  rounds: number | undefined
  evidence: Evidence
}

/** Runs one fault; its services end with it, and what they wrote is kept for the look at the log. */
export async function tryFault(fault: Fault, { evidence, ...settings }: Settings): Promise<string> {
  const services: ServiceProcess[] = []
  const afterwards: (() => unknown)[] = []
  const trial: Trial = {
    ...settings,
    async start(options = {}) {
      const env = { LOG_LEVEL: 'debug', ...options.env }
      const service = await startServiceProcess({ ...options, env })
      services.push(service)
      return service
    },
    after: f => afterwards.push(f),
    secret(...values) {
      for (const value of values) if (value.length >= 8) evidence.secrets.add(value)
    },
    cannot(reason) {
      throw new CannotBeTried(reason)
    },
  }
  const limitMs = settings.short ? fault.limitMs / 3 : fault.limitMs
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not over after ${limitMs / 1000} s`)), limitMs)
  try {
    return await Promise.race([fault.run(trial), late.promise])
  } finally {
    clearTimeout(timer)
    for (const service of services) await finish(service, evidence.logFile)
    for (const f of afterwards.toReversed()) await f()
  }
}

async function finish(service: ServiceProcess, logFile: string): Promise<void> {
  await service.end('SIGKILL')
  if (existsSync(service.logFile)) appendFileSync(logFile, readFileSync(service.logFile))
  rmSync(service.folder, { recursive: true, force: true })
}
