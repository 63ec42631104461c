import type { TestContext } from 'node:test'
import { type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'

/** An injected fault and the invariant that the service must keep. */
export interface Fault {
  name: string
  invariant: string
  /** A short run has a third of this time. */
  timeoutMs: number
  /** Returns a summary of the measurements, or undefined if it was skipped. Throws if the invariant is violated. */
  run(context: FaultContext): Promise<string | undefined>
}

export interface Settings {
  short: boolean
  seed: number
  rounds: number | undefined
  /** Secrets that must not be in any log. */
  secrets: Set<string>
  /** The log output of all services of the run. */
  logFile: string
}

export interface FaultContext extends Settings {
  /** Skips the fault because one of its requirements is missing. */
  skip(reason: string): undefined
  /** Runs `f` at the end, in the order of the calls. */
  after(f: () => unknown): void
  startService: typeof startServiceProcess
}

export function createContext(t: TestContext, settings: Settings): FaultContext {
  return {
    ...settings,
    skip: reason => void t.skip(reason),
    after: f => t.after(async () => void (await f())),
    async startService(options = {}) {
      const env = { LOG_LEVEL: 'debug', ...options.env }
      const service: ServiceProcess = await startServiceProcess({
        ...options,
        env,
        logFile: settings.logFile,
      })
      t.after(async () => {
        await service.end('SIGKILL')
        await service.remove()
      })
      return service
    },
  }
}
