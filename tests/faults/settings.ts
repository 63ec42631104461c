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
export const secretKey = Buffer.alloc(32, 7).toString('base64')
/**
 * What must not be in a log: tokens and secrets by their formats (community/secrets), those of webhooks, credentials of
 * clients, and the passwords and the key that the tests use.
 */
export const secretPattern = new RegExp(
  String.raw`\bg[a-z]{2}_[0-9A-Za-z]{12,}|(?<![\w-])[\w-]{68}(?![\w-])|\bBasic [\w+/]{20,}|` +
    `open-the-gate|correct horse|${secretKey}`,
)
