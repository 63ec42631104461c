import { maxListLimit } from '@gatehouse/protocol/limits'
import { invalid } from '../errors/app-error.ts'

/** The most entries of a list of members or bans in Discord's API. */
const maxEntries = 1000

/** The member `limit` of a query. Throws 400 unless it is 1 to 1,000. */
export function readLimit(limit: unknown): number {
  const wanted = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0
  if (wanted < 1 || wanted > maxEntries) throw invalid('limit', 'out_of_range', `must be 1 to ${maxEntries}`)
  return wanted
}

/**
 * Reads up to `wanted` entries in pages of our API. `readPage` gets the number of entries to read and the last entry of
 * the page before.
 */
export async function readPages<Entry>(
  wanted: number,
  readPage: (count: number, last: Entry | undefined) => Promise<Entry[]>,
): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const count = Math.min(maxListLimit, wanted - entries.length)
    const page = await readPage(count, entries.at(-1))
    entries.push(...page)
    if (page.length < count || entries.length === wanted) return entries
  }
}
