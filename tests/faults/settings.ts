import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '20251121' },
    help: { type: 'boolean', default: false },
  },
})

export const { short, only, help } = values
export const seed = Number(values.seed)
/** Rounds of the faults that repeat the same. */
export const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-faults-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
/** The log output of all services of the run. */
export const logFile = join(folder, 'services.log')
/** Secrets that must not be in any log. */
export const secrets = new Set<string>()
