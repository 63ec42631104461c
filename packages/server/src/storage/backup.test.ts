import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { backupDatabase } from './backup.ts'

async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a backup completes while the service commits, and is a consistent snapshot', async t => {
  const folder = await openFolder(t)
  const [path, file] = [join(folder, 'service.db'), join(folder, 'copy.db')]
  const service = new DatabaseSync(path)
  t.after(() => service.close())
  // 20 MB, of which a step of the copy reads 100 pages.
  service.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE one (n INTEGER, filler BLOB);
    CREATE TABLE two (n INTEGER);
    WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 5000)
    INSERT INTO one SELECT n, zeroblob(4000) FROM i;
    INSERT INTO two SELECT n FROM one`)
  let isDone = false
  const copying = backupDatabase(`sqlite:${path}`, file).then(() => {
    isDone = true
  })
  let isNamedEarly = false
  // A copy that each commit starts again never completes.
  const deadline = performance.now() + 60_000
  while (!isDone && performance.now() < deadline) {
    isNamedEarly ||= existsSync(file)
    service.exec('BEGIN; INSERT INTO one VALUES (0, NULL); INSERT INTO two VALUES (0); COMMIT')
    await setImmediate()
  }
  assert.ok(isDone, 'not complete')
  await copying
  assert.equal(isNamedEarly, false)
  const copy = new DatabaseSync(file, { readOnly: true })
  t.after(() => copy.close())
  const { one, two } =
    copy.prepare('SELECT (SELECT COUNT(*) FROM one) AS one, (SELECT COUNT(*) FROM two) AS two').get() ?? {}
  assert.ok(Number(one) >= 5000)
  assert.equal(one, two)
  assert.deepEqual({ ...copy.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
})

test('a backup that fails leaves no file', async t => {
  const folder = await openFolder(t)
  const path = join(folder, 'service.db')
  await writeFile(path, 'not a database'.repeat(1000))
  await assert.rejects(backupDatabase(`sqlite:${path}`, join(folder, 'copy.db')), /not a database/)
  assert.deepEqual(await readdir(folder), ['service.db'])
})
