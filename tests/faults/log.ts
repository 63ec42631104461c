import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Settings } from './fault.ts'

// The token format: a prefix and 49 base62 characters (community/secrets).
const tokenPattern = /g[a-z]{2}_[0-9A-Za-z]{49}/
const webhookUrlPattern = /\/webhooks\/\d+\/[\w-]{68}/

/** Searches the logs of all services of this run for secrets. */
export async function searchLog({
  logFile,
  secrets,
}: Pick<Settings, 'logFile' | 'secrets'>): Promise<string> {
  if (!existsSync(logFile)) return 'the log is empty'
  const found = new Set<string>()
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    lines++
    // Secrets contain only these characters.
    const words = line.split(/[^\w-]+/)
    const secret =
      tokenPattern.exec(line)?.[0] ??
      webhookUrlPattern.exec(line)?.[0] ??
      words.find(word => secrets.has(word))
    // The result is printed, so it must not contain the secret.
    if (secret !== undefined)
      found.add(line.replaceAll(secret, `[${secret.slice(0, 4)}… of ${secret.length}]`).slice(0, 300))
  }
  assert.deepEqual([...found].slice(0, 10), [], 'secrets in the log')
  return `${lines} lines, none with one of ${secrets.size} secrets`
}
