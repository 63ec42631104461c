import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Evidence } from './fault.ts'

// D6: a prefix and 49 characters of base62.
const ours = /g[a-z]{2}_[0-9A-Za-z]{49}/
const webhookAddress = /\/webhooks\/\d+\/[\w-]{68}/

/** Looks through all that the services wrote in this run. */
export async function searchLog({ logFile, secrets }: Evidence): Promise<string> {
  if (!existsSync(logFile)) return 'nothing was written'
  const found = new Set<string>()
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    lines++
    const hit =
      ours.exec(line)?.[0] ?? webhookAddress.exec(line)?.[0] ?? wordsOf(line).find(word => secrets.has(word))
    // Never the secret itself: this is printed.
    if (hit !== undefined)
      found.add(line.replaceAll(hit, `[${hit.slice(0, 4)}… of ${hit.length}]`).slice(0, 300))
  }
  assert.deepEqual([...found].slice(0, 10), [], 'secrets in the log')
  return `${lines} lines, none with one of ${secrets.size} secrets`
}

/** Whatever a secret could be, by the characters that secrets have. */
function wordsOf(line: string): string[] {
  return line.split(/[^\w-]+/)
}
