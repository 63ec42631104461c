import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Evidence } from './fault.ts'

// The token format: a prefix and 49 base62 characters (community/secrets).
const tokenPattern = /g[a-z]{2}_[0-9A-Za-z]{49}/
const webhookUrlPattern = /\/webhooks\/\d+\/[\w-]{68}/

/** Searches the logs of all services of this run for secrets. */
export async function searchLog({ logFile, secrets }: Evidence): Promise<string> {
  if (!existsSync(logFile)) return 'the log is empty'
  const found = new Set<string>()
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    lines++
    const hit =
      tokenPattern.exec(line)?.[0] ??
      webhookUrlPattern.exec(line)?.[0] ??
      splitLine(line).find(part => secrets.has(part))
    // The result is printed, so it must not contain the secret.
    if (hit !== undefined)
      found.add(line.replaceAll(hit, `[${hit.slice(0, 4)}… of ${hit.length}]`).slice(0, 300))
  }
  assert.deepEqual([...found].slice(0, 10), [], 'secrets in the log')
  return `${lines} lines, none with one of ${secrets.size} secrets`
}

/** Splits a line at characters that secrets do not contain. */
function splitLine(line: string): string[] {
  return line.split(/[^\w-]+/)
}
