// `npm run test:faults`: injects faults and checks that the service keeps its invariants.
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { help, logFile, only, secretPattern } from './settings.ts'

if (help) console.log('npm run test:faults -- [--short] [--only FAULT]… [--rounds N] [--seed N]\n')
await import('./service.fault.ts')
await import('./http.fault.ts')
await import('./storage.fault.ts')
await import('./nats.fault.ts')
await import('./node.fault.ts')
await import('./rolling.fault.ts')
await import('./partition.fault.ts')
await import('./hostile.fault.ts')
const { names } = await import('./fault.ts')
const unknown = only?.find(name => !names.includes(name))
if (unknown !== undefined) throw new Error(`Unknown fault ${unknown}. --help lists the faults.`)

if (help) process.exit()

test('log: no service or server has written a token, code, secret or password', async t => {
  const found = new Set<string>()
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(logFile, { flags: 'a+' }) })) {
    lines++
    const secret = secretPattern.exec(line)?.[0]
    // The result is printed, so it must not contain the secret.
    if (secret !== undefined)
      found.add(line.replaceAll(secret, `[${secret.slice(0, 4)}… of ${secret.length}]`).slice(0, 300))
  }
  assert.deepEqual([...found].slice(0, 10), [], 'secrets in the log')
  t.diagnostic(`${lines} lines`)
})
