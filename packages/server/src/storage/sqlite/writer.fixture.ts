import { writeSync } from 'node:fs'
import { openDatabase } from '../open.ts'

/**
 * A process to be killed: `node writer.fixture.ts URL ROUND` inserts for ever, 64 at a time, and prints each id once
 * its promise has settled. `writeSync`, so that nothing that was printed is lost with the process.
 */
const [url = '', round = ''] = process.argv.slice(2)
const db = await openDatabase(url)

async function insertForEver(lane: number): Promise<never> {
  for (let n = 0; ; n++) {
    const id = `${round}-${lane}-${n}`
    if (n % 2 === 0) await db.run`INSERT INTO written (id) VALUES (${id})`
    else await db.transaction(tx => tx.run`INSERT INTO written (id) VALUES (${id})`)
    writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: 64 }, (_, lane) => insertForEver(lane)))
