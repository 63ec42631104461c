import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { engines } from '@gatehouse/testkit/databases'
import { backupDatabase, populate } from '@gatehouse/testkit/populated'
import { startService } from '@gatehouse/testkit/service'

/**
 * `node tools/record-database.ts VERSION`, at a release whose schema differs from that of the last one: writes a
 * database of this version for each engine, with rows in every table, and a JSON file with its secrets.
 * `storage/upgrade.test.ts` migrates it from then on.
 */

const [version] = process.argv.slice(2)
if (version === undefined) throw new Error('The version is missing.')
const target = join(import.meta.dirname, '../packages/server/src/storage/upgrade', version)

/** As text that one query can restore on every version of PostgreSQL: without commands of psql and settings. */
function dumpPostgres(url: string): Buffer {
  const args = ['--no-owner', '--no-privileges', '--exclude-schema=original', '--rows-per-insert=100', url]
  const text = execFileSync('pg_dump', args, { encoding: 'utf8' })
  return Buffer.from(text.replace(/^(?:\\|SET |SELECT pg_catalog\.set_config).*\n/gm, ''))
}

async function dumpSqlite(url: string): Promise<Buffer> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-record-'))
  await backupDatabase(url, join(folder.path, 'gatehouse.db'))
  return readFileSync(join(folder.path, 'gatehouse.db'))
}

const secretKey = randomBytes(32).toString('base64')
const recorded: Record<string, unknown> = { secretKey }
for (const { name: engine } of engines) {
  const closers: (() => Promise<void>)[] = []
  const after = (close: () => Promise<void>) => closers.push(close)
  const service = await startService({ after } as Parameters<typeof startService>[0], {
    engine,
    env: { SECRET_KEY: secretKey },
  })
  const { callers, ...populated } = await populate(service)
  const headers = Object.fromEntries(Object.entries(callers).map(([name, caller]) => [name, caller.headers]))
  recorded[engine] = { now: service.clock.now(), headers, ...populated }
  await service.stop()
  const { databaseUrl } = service.config
  const file = engine === 'sqlite' ? 'sqlite' : 'postgres.sql'
  const bytes = engine === 'sqlite' ? await dumpSqlite(databaseUrl) : dumpPostgres(databaseUrl)
  writeFileSync(`${target}.${file}.gz`, gzipSync(bytes, { level: 9 }))
  for (const close of closers) await close()
}
writeFileSync(`${target}.json`, `${JSON.stringify(recorded, undefined, 2)}\n`)
process.exit()
