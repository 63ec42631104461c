import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'

/** An injected fault and the property that the service must keep. */
export interface Fault {
  name: string
  /** Description of the property. */
  holds: string
  /** Timeout. A short run uses a third of it. */
  limitMs: number
  /** Resolves to a summary of the measurements. Throws if the property is violated. */
  run(trial: Trial): Promise<string>
}

export interface Trial {
  short: boolean
  seed: number
  rounds: number | undefined
  start: typeof startServiceProcess
  /** Runs after the services of the trial have ended, in reverse order. */
  after(f: () => unknown): void
  /** Registers secrets that must not be in any log. */
  secret(...values: readonly string[]): void
  /** Skips the fault by throwing `CannotBeTried`. */
  cannot(reason: string): never
}

/** A requirement of the fault is missing. */
export class CannotBeTried extends Error {}

export interface Evidence {
  secrets: Set<string>
  /** The log output of all services of the run. */
  logFile: string
}

interface Settings {
  short: boolean
  seed: number
  rounds: number | undefined
  evidence: Evidence
}

/** Runs one fault, stops its services and appends their logs to `evidence.logFile`. */
export async function tryFault(fault: Fault, { evidence, ...settings }: Settings): Promise<string> {
  const services: ServiceProcess[] = []
  const cleanups: (() => unknown)[] = []
  const trial: Trial = {
    ...settings,
    async start(options = {}) {
      const env = { LOG_LEVEL: 'debug', ...options.env }
      const service = await startServiceProcess({ ...options, env })
      services.push(service)
      return service
    },
    after: f => cleanups.push(f),
    secret(...values) {
      for (const value of values) if (value.length >= 8) evidence.secrets.add(value)
    },
    cannot(reason) {
      throw new CannotBeTried(reason)
    },
  }
  const limitMs = settings.short ? fault.limitMs / 3 : fault.limitMs
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`timeout after ${limitMs / 1000} s`)), limitMs)
  try {
    return await Promise.race([fault.run(trial), timeout.promise])
  } finally {
    clearTimeout(timer)
    for (const service of services) await stopService(service, evidence.logFile)
    for (const f of cleanups.toReversed()) await f()
  }
}

async function stopService(service: ServiceProcess, logFile: string): Promise<void> {
  await service.end('SIGKILL')
  if (existsSync(service.logFile)) appendFileSync(logFile, readFileSync(service.logFile))
  rmSync(service.folder, { recursive: true, force: true })
}
