// Runs in its own process: it takes longer than the others, so it starts first.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { version } from '@gatehouse/protocol/version'
import { eachDatabase } from '@gatehouse/testkit/databases'
import { listenHttp } from '@gatehouse/testkit/listen'
import { createClient, freePort } from '@gatehouse/testkit/service'
import { generate } from 'otplib'
import { listPendingMigrations, migrate } from '../storage/migrate.ts'
import { openMigrated } from '../storage/open.ts'
import { openSqlite } from '../storage/sqlite/sqlite.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

interface Run {
  code: number | null
  out: string
  err: string
}

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

function start(args: string[], env: Record<string, string>, cwd?: string) {
  const child = spawn(process.execPath, [main, ...args], { cwd, env: { PATH: process.env.PATH, ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    err += chunk
  })
  const ended = once(child, 'close').then((): Run => ({ code: child.exitCode, out, err }))
  return { child, ended }
}

async function gatehouse(
  args: string[],
  env: Record<string, string>,
  input = '',
  cwd?: string,
): Promise<Run> {
  const { child, ended } = start(args, env, cwd)
  child.stdin.end(input)
  return ended
}

async function startServing(t: TestContext, env: Record<string, string>) {
  const port = env.PORT ?? String(await freePort())
  const url = `http://localhost:${port}`
  const { child, ended } = start(['serve'], { PORT: port, BASE_URL: url, ...env })
  t.after(() => child.kill('SIGKILL'))
  for (;;) {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.ok) return { url, child, ended }
    assert.equal(child.exitCode, null, 'the service ended before it was ready')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('prints one line with the name of an invalid variable and exits with 2', async () => {
  const { code, out, err } = await gatehouse(['serve'], { PORT: 'eighty' })
  assert.equal(code, 2)
  assert.equal(out, '')
  assert.equal(err, 'PORT: expected an integer from 0 to 65535, not "eighty"\n')
})

test('--version prints the version without a configuration', async () => {
  const { code, out } = await gatehouse(['--version'], { PORT: 'eighty' })
  assert.deepEqual({ code, out }, { code: 0, out: `${version}\n` })
})

test('names an unknown command, and shows the usage of one that is not complete', async () => {
  const unknown = await gatehouse(['dance'], {})
  assert.equal(unknown.code, 2)
  assert.equal(unknown.err, 'Unknown command "dance". gatehouse --help lists the commands.\n')
  const incomplete = await gatehouse(['keys'], {})
  assert.equal(incomplete.code, 2)
  assert.match(
    incomplete.err,
    /^"keys" is not complete or not known\. Usage:\n\n {2}keys list .*\n {2}keys rotate .*\n {2}keys withdraw .*\n$/,
  )
  const tooMany = await gatehouse(['backup', 'a', 'b'], {})
  assert.equal(tooMany.code, 2)
  assert.match(tooMany.err, /Usage:\n\n {2}backup FILE /)
})

test('refuses an option that the command does not have', async t => {
  const cwd = await folder(t)
  const asked = await gatehouse(['backup', '--help'], {}, '', cwd)
  assert.equal(asked.code, 1)
  assert.match(asked.err, /^Unknown option '--help'/)
  assert.deepEqual(await readdir(cwd), [])
})

test('prints the usage without a command', async () => {
  const help = await gatehouse([], {})
  assert.equal(help.code, 0)
  for (const command of ['keys list', 'keys rotate [--now]', 'keys withdraw KID']) {
    assert.ok(help.out.includes(command))
  }
})

test('the first start creates folder, database and key, the second uses them, and SIGTERM stops it', async t => {
  const data = join(await folder(t), 'new')
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const first = await startServing(t, env)
  const registered = await fetch(`${first.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ana', email: 'ana@example.org', password: 'correct horse' }),
  })
  assert.equal(registered.status, 201)
  const keys = await (await fetch(`${first.url}/api/oauth2/keys`)).json()
  first.child.kill('SIGTERM')
  const { code, out } = await first.ended
  assert.equal(code, 0)
  assert.equal(out.includes('correct horse'), false)
  for (const file of ['g.db', 'secret.key', 'compile-cache'])
    assert.equal((await stat(join(data, file))).mode & 0o077, 0, file)

  const second = await startServing(t, env)
  const login = await fetch(`${second.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'ana', password: 'correct horse' }),
  })
  assert.equal(login.status, 200)
  assert.deepEqual(await (await fetch(`${second.url}/api/oauth2/keys`)).json(), keys)
  second.child.kill('SIGINT')
  assert.equal((await second.ended).code, 0)
})

test('names the variable of the address that it cannot listen on, and exits with 1', async t => {
  const data = await folder(t)
  const running = await startServing(t, { DATABASE_URL: `sqlite:${data}/a.db` })
  const port = new URL(running.url).port
  const { code, err } = await gatehouse(['serve'], { PORT: port, DATABASE_URL: `sqlite:${data}/b.db` })
  assert.equal(code, 1)
  assert.equal(
    err,
    `PORT: another process listens on port ${port} of 127.0.0.1. Stop it, or set PORT to a free port (EADDRINUSE)\n`,
  )
  const foreign = await gatehouse(['serve'], {
    HOST: '192.0.2.1',
    PORT: port,
    DATABASE_URL: `sqlite:${data}/b.db`,
  })
  assert.deepEqual(
    [foreign.code, foreign.err],
    [1, 'HOST: 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)\n'],
  )
})

test('creates users and sets passwords while the service runs', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db`, REGISTRATION: 'closed' }
  const { url } = await startServing(t, env)
  const options = ['--username', 'boris', '--email', 'boris@example.org']
  const created = await gatehouse(['user', 'create', ...options], env, 'correct horse\n')
  assert.equal(created.code, 0, created.err)
  assert.match(created.out, /^Created the user boris with the id \d{19}\.\n$/)
  const login = (password: string) =>
    fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'boris', password }),
    })
  const before = await login('correct horse')
  assert.equal(before.status, 200)
  const cookie = before.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const readSelf = async () => (await fetch(`${url}/api/users/@me`, { headers: { cookie } })).status
  assert.equal(await readSelf(), 200)
  const reset = await gatehouse(['user', 'reset-password', '--login', 'boris'], env, 'battery staple\n')
  assert.equal(reset.code, 0, reset.err)
  assert.equal(await readSelf(), 401, 'the password ended the session')
  assert.equal((await login('battery staple')).status, 200)
  assert.equal((await login('correct horse')).status, 401)

  const short = await gatehouse(['user', 'reset-password', '--login', 'boris'], env, 'short\n')
  assert.equal(short.code, 1)
  assert.match(short.err, /^password: /)
  assert.equal(
    (await gatehouse(['user', 'create', '--username', 'x'], env, 'correct horse\n')).err,
    'The option --email is required.\n',
  )
})

test('reset-second-factor lets a user sign in with only the password', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const { url } = await startServing(t, env)
  const options = ['--username', 'boris', '--email', 'boris@example.org']
  const created = await gatehouse(['user', 'create', ...options], env, 'correct horse\n')
  assert.equal(created.code, 0, created.err)
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
  const login = () => post('/api/auth/login', { login: 'boris', password: 'correct horse' })
  const cookie = (await login()).headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const factors = '/api/users/@me/second-factors'
  const { secret }: { secret: string } = JSON.parse(await (await post(`${factors}/totp`, {}, cookie)).text())
  const confirmed = await post(`${factors}/totp/confirm`, { code: await generate({ secret }) }, cookie)
  assert.equal(confirmed.status, 200)
  assert.equal((await login()).status, 401)
  const reset = await gatehouse(['user', 'reset-second-factor', '--login', 'boris@example.org'], env)
  assert.equal(reset.code, 0, reset.err)
  assert.match(reset.out, /^Deleted the second factors of boris\./)
  assert.equal((await login()).status, 200)
  const unknown = await gatehouse(['user', 'reset-second-factor', '--login', 'nobody'], env)
  assert.equal(unknown.code, 1)
})

test('sign-in/key-compromise: lists, replaces and withdraws signing keys while the service runs', async t => {
  const file = `${await folder(t)}/g.db`
  const env = { DATABASE_URL: `sqlite:${file}` }
  const { url } = await startServing(t, env)
  const publishedIds = async (): Promise<string[]> =>
    (await (await fetch(`${url}/api/oauth2/keys`)).json()).keys.map((key: { kid: string }) => key.kid)
  const [first = ''] = await publishedIds()
  assert.ok((await gatehouse(['keys', 'list'], env)).out.startsWith(`${first}  signs since `))

  const rotated = await gatehouse(['keys', 'rotate', '--now'], env)
  const second = /^The key (\S+) is published\. It signs from /.exec(rotated.out)?.[1] ?? ''
  assert.deepEqual(await publishedIds(), [first, second])
  const lines = (await gatehouse(['keys', 'list'], env)).out.split('\n')
  assert.ok(lines[0]?.startsWith(`${first}  verifies until `))
  assert.ok(lines[1]?.startsWith(`${second}  signs since `))

  const withdrawn = await gatehouse(['keys', 'withdraw', second], env)
  assert.equal(withdrawn.code, 0, withdrawn.err)
  const third = /^The key (\S+) is withdrawn\. The new key (\S+) signs now\. /.exec(withdrawn.out)?.[2] ?? ''
  assert.deepEqual(await publishedIds(), [first, third])
  const old = await gatehouse(['keys', 'withdraw', first], env)
  assert.match(old.out, /^The key \S+ is withdrawn\. Applications that cache the keys .* 5 minutes\.\n$/)
  assert.deepEqual(await publishedIds(), [third])

  const unknown = await gatehouse(['keys', 'withdraw', first], env)
  assert.equal(unknown.code, 1)
  assert.equal(unknown.err, `There is no signing key "${first}". The command "keys list" lists the keys.\n`)
  for (const id of [['-x'], ['--', '--x']]) {
    const { err } = await gatehouse(['keys', 'withdraw', ...id], env)
    assert.match(err, new RegExp(`^There is no signing key "${id.at(-1)}"`))
  }
  assert.equal((await gatehouse(['keys', 'withdraw'], env)).code, 2)
  assert.equal((await gatehouse(['keys', 'rotate', '--never'], env)).code, 1)
  assert.deepEqual(await publishedIds(), [third])

  await gatehouse(['keys', 'rotate', '--now'], env)
  const db = await openSqlite(file)
  // Two hours ago.
  await db.run`UPDATE oauth_signing_keys SET active_from = active_from - 7200000`
  await db.close()
  const [unpublished = ''] = (await gatehouse(['keys', 'list'], env)).out.split('\n')
  assert.match(unpublished, new RegExp(`^${third}  verifies only id_token_hint, until 2\\S+Z$`))
})

test('migrate --dry-run lists the migrations and leaves the folder as it is', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const pending = await gatehouse(['migrate', '--dry-run'], env)
  assert.equal(pending.code, 0, pending.err)
  assert.match(pending.out, /^0001-schema\n/)
  assert.deepEqual(await readdir(data), [])
  assert.equal((await gatehouse(['migrate'], env)).code, 0)
  const done = await gatehouse(['migrate', '--dry-run'], env)
  assert.equal(done.out, 'The database is up to date.\n')
  assert.deepEqual(await readdir(data), ['g.db'])
})

test('doctor and keys list neither create nor migrate the database, nor create a key', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db`, BASE_URL: 'https://chat.example.org' }
  const assertDoctor = async (line: string) => {
    const out = `configuration  OK: https://chat.example.org\n${line}\n`
    assert.deepEqual(await gatehouse(['doctor'], env), { code: 1, out, err: '' })
  }
  const absent = `${data}/g.db does not exist. The first start or "gatehouse migrate" creates it.`
  await assertDoctor(`database       ${absent}`)
  assert.deepEqual(await readdir(data), [])

  await migrate(env.DATABASE_URL)
  await assertDoctor(
    `secret key     ${data}/secret.key does not exist. The first start creates it. If the ` +
      'database was used before, restore its key.',
  )

  // As a version without the last migration leaves the database.
  const old = await openSqlite(`${data}/g.db`)
  await old.run`DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)`
  await old.close()
  const pending = 'pending migrations: 1. Run "gatehouse migrate", or start the service.'
  await assertDoctor(`database       ${pending}`)
  const keys = await gatehouse(['keys', 'list'], env)
  assert.deepEqual(keys, { code: 1, out: '', err: `database: ${pending}\n` })
  assert.equal((await listPendingMigrations(env.DATABASE_URL)).length, 1)
  assert.deepEqual(await readdir(data), ['g.db'])
})

eachDatabase('every command refuses a database of 0.1 or 0.2', async (t, { db, url }) => {
  await db.run`UPDATE migrations SET name = '0001-nodes' WHERE name = '0001-schema'`
  const data = await folder(t)
  const env = { DATABASE_URL: url, SECRET_KEY: randomBytes(32).toString('base64') }
  const commands = [
    'serve',
    'migrate',
    'migrate --dry-run',
    'keys list',
    'keys rotate',
    'keys withdraw KID',
    'secret-key replace',
    'user create --username ana --email ana@example.org',
    'user reset-password --login ana',
    'user reset-second-factor --login ana',
    'user disable ana',
    `copy --from ${url} --to sqlite:${data}/copy.db`,
    'prune --messages-older-than 365d',
    'doctor',
  ]
  // On PostgreSQL, pg_dump makes backups.
  if (db.engine === 'sqlite') commands.push(`backup ${data}/backup.db`)
  for (const command of commands) {
    const { code, err } = await gatehouse(command.split(' '), env, 'correct horse\n', data)
    assert.equal(code, 1, command)
    assert.match(err, /the database is of Gatehouse 0\.1 or 0\.2, .*: start with an empty database/, command)
  }
  assert.deepEqual(
    (await readdir(data)).filter(name => name.endsWith('.db')),
    [],
  )
})

test('promotes, disables, enables and signs out a user by name or address', async t => {
  const env = { DATABASE_URL: `sqlite:${await folder(t)}/g.db` }
  await gatehouse(
    ['user', 'create', '--username', 'ana', '--email', 'ana@example.org'],
    env,
    'correct horse\n',
  )
  const acts = [
    ['promote', 'ana', 'ana is an administrator.'],
    ['disable', 'ana@example.org', 'ana is disabled, with their bots and applications.'],
    ['enable', 'ana', 'ana is enabled.'],
    ['confirm-email', 'ana', 'ana has a confirmed email address.'],
    ['end-sessions', 'ana', 'ana is signed out everywhere.'],
    ['demote', 'ana', 'ana is no administrator.'],
  ] as const
  for (const [act, name, expected] of acts) {
    const { code, out, err } = await gatehouse(['user', act, name], env)
    assert.equal(code, 0, err)
    assert.ok(out.startsWith(expected), out)
  }
  const unknown = await gatehouse(['user', 'disable', 'nobody'], env)
  assert.deepEqual([unknown.code, unknown.out], [1, ''])
  const incomplete = await gatehouse(['user', 'disable'], env)
  assert.equal(incomplete.code, 2)
})

test('rotates keys, copies the database and runs the checks while the service runs', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  await startServing(t, env)
  const rotated = await gatehouse(['keys', 'rotate'], env)
  assert.equal(rotated.code, 0, rotated.err)
  assert.match(rotated.out, /^The key \S+ is published\. It signs from /)
  const copied = await gatehouse(['backup', `${data}/copy.db`], env)
  assert.equal(copied.code, 0, copied.err)
  // It contains password hashes, so only the owner can read it, like the database itself.
  assert.equal((await stat(`${data}/copy.db`)).mode & 0o777, 0o600)
  const again = await gatehouse(['backup', `${data}/copy.db`], env)
  assert.equal(again.code, 1)
  assert.match(again.err, /exists already/)
  const doctor = await gatehouse(['doctor'], env)
  assert.equal(doctor.code, 0, doctor.out)
  const lastBackup = /^last backup {4}OK: (\S+Z)$/m
  const time = lastBackup.exec(doctor.out)?.[1] ?? ''
  assert.equal((await gatehouse(['backup', '--record'], env)).code, 0)
  assert.ok((lastBackup.exec((await gatehouse(['doctor'], env)).out)?.[1] ?? '') > time)
  const otherKey = Buffer.alloc(32, 7).toString('base64')
  const failed = await gatehouse(['doctor'], { ...env, SECRET_KEY: otherKey })
  assert.equal(failed.code, 1)
  assert.match(failed.err, /is not the key of this database/)
  assert.equal((await gatehouse(['migrate'], { DATABASE_URL: `sqlite:${data}/copy.db` })).code, 0)
})

test('with another key the service does not start, until the command has replaced the lost one', async t => {
  const data = await folder(t)
  const withKey = (byte: number) => ({
    DATABASE_URL: `sqlite:${data}/g.db`,
    SECRET_KEY: Buffer.alloc(32, byte).toString('base64'),
  })
  const first = await startServing(t, withKey(1))
  const user = { username: 'ana', email: 'ana@example.org', password: 'correct horse' }
  const client = createClient(first.url)
  assert.equal((await client.json('POST', '/api/auth/register', user)).status, 201)
  const created = await client.json('POST', '/api/applications', { name: 'App', type: 'public' })
  assert.equal(created.status, 201, created.text)
  const readKeys = async (url: string) => {
    const { keys }: { keys: { kid: string }[] } = await (await fetch(`${url}/api/oauth2/keys`)).json()
    return keys.map(({ kid }) => kid)
  }
  const keys = await readKeys(first.url)
  first.child.kill('SIGTERM')
  await first.ended

  const refused = await gatehouse(['serve'], { ...withKey(2), PORT: '0' })
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /^SECRET_KEY \(or secret\.key\) is not the key of this database\. .*secret-key replace/,
  )
  const asked = await gatehouse(['secret-key', 'replace', '--help'], withKey(2))
  assert.equal(asked.code, 1)
  assert.match(asked.err, /Unknown option '--help'/)
  assert.equal((await gatehouse(['keys', 'list'], withKey(1))).code, 0, 'the key is not replaced')
  const replaced = await gatehouse(['secret-key', 'replace'], withKey(2))
  assert.equal(replaced.code, 0, replaced.err)
  assert.match(replaced.out, /1 application has a new public key/)
  assert.equal((await gatehouse(['keys', 'list'], withKey(1))).code, 1)

  const second = await startServing(t, withKey(2))
  assert.deepEqual(new Set(await readKeys(second.url)).intersection(new Set(keys)), new Set())
  const again = createClient(second.url)
  const login = { login: 'ana', password: 'correct horse' }
  assert.equal((await again.json('POST', '/api/auth/login', login)).status, 200)
  const application = await again.json('GET', `/api/applications/${created.body.id}`)
  assert.match(application.body.publicKey, /^[0-9a-f]{64}$/)
  assert.notEqual(application.body.publicKey, created.body.publicKey)
})

test('copy prints a line for each table, and the service runs on the copy', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const { child, ended, url } = await startServing(t, env)
  const options = ['--from', env.DATABASE_URL, '--to', `sqlite:${data}/copy.db`]
  const refused = await gatehouse(['copy', ...options], {})
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^--from: a service uses the database\. Stop all of its nodes\./)
  const keys = await (await fetch(`${url}/api/oauth2/keys`)).json()
  child.kill('SIGTERM')
  await ended

  const copied = await gatehouse(['copy', ...options], {})
  assert.equal(copied.code, 0, copied.err)
  assert.match(copied.out, /^Copied \d+ of \d+ rows, \d+ %/)
  assert.match(copied.out, /^oauth_signing_keys +1 rows {2}[0-9a-f]{16} {2}equal$/m)
  assert.match(
    copied.out,
    /The copy is complete and equal to the source\. .* \S+\/secret\.key, or SECRET_KEY\./,
  )
  assert.equal((await stat(`${data}/copy.db`)).mode & 0o777, 0o600)
  const otherKey = {
    DATABASE_URL: `sqlite:${data}/copy.db`,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  assert.match((await gatehouse(['keys', 'list'], otherKey)).err, /is not the key of this database/)
  const again = await startServing(t, { DATABASE_URL: `sqlite:${data}/copy.db` })
  assert.deepEqual(await (await fetch(`${again.url}/api/oauth2/keys`)).json(), keys)
})

test('copy reports what is wrong with its options without their values', async () => {
  const secret = 'mysql://ana:hunter2@db/chat'
  const scheme = await gatehouse(['copy', '--from', secret, '--to', 'sqlite:g.db'], {})
  assert.deepEqual(scheme, { code: 2, out: '', err: '--from: expected sqlite:PATH or postgres://…\n' })
  const missing = await gatehouse(['copy', '--from', 'sqlite:g.db'], {})
  assert.deepEqual(missing, { code: 1, out: '', err: 'The option --to is required.\n' })
  const url = 'postgres://ana:hunter2@127.0.0.1:1/chat'
  const unreachable = await gatehouse(['copy', '--from', url, '--to', 'sqlite:g.db'], {})
  assert.equal(unreachable.code, 1)
  assert.match(unreachable.err, /^--from: the database is unavailable \(ECONNREFUSED: .*\)\n$/)
  assert.equal(unreachable.err.includes('hunter2'), false)
})

test('community/prune: counts and deletes old messages while the service runs', async t => {
  const env = { DATABASE_URL: `sqlite:${await folder(t)}/g.db` }
  const { url } = await startServing(t, env)
  const ana = createClient(url)
  const account = { username: 'ana', email: 'ana@example.org', password: 'correct horse' }
  const user = await ana.request<{ id: string }>('POST', '/api/auth/register', account)
  const server = await ana.request<{ id: string }>('POST', '/api/servers', { name: 'Harbour' })
  const [channel] = await ana.request<{ id: string }[]>('GET', `/api/servers/${server.id}/channels`)
  const path = `/api/channels/${channel?.id}/messages`
  await ana.request('POST', path, { content: 'new' })
  const db = await openMigrated(env.DATABASE_URL)
  await db.run`
    INSERT INTO messages (id, channel_id, author_id, content, embeds, components, mentions, state, created_at)
    VALUES ('1000000000000000001', ${channel?.id ?? ''}, ${user.id}, 'old', '[]', '[]', '', 'sent', 1)`
  await db.close()
  const contents = async () =>
    (await ana.request<{ content: string }[]>('GET', path)).map(({ content }) => content)

  const counted = await gatehouse(['prune', '--messages-older-than', '30d', '--dry-run'], env)
  assert.equal(counted.code, 0, counted.err)
  assert.match(counted.out, /^Messages older than 2\S+Z: 1\. None was deleted\.\n$/)
  assert.deepEqual(await contents(), ['new', 'old'])
  const pruned = await gatehouse(['prune', '--messages-older-than', '30d'], env)
  assert.equal(pruned.code, 0, pruned.err)
  assert.match(pruned.out, /^Deleted 1 of 1 rows, 100 %.*\nDeleted messages older than 2\S+Z: 1\.\n$/)
  assert.deepEqual(await contents(), ['new'])
  // It had a node number, like everything that writes. The service has the number 0.
  const after = await openMigrated(env.DATABASE_URL)
  assert.deepEqual(await after.get`SELECT id, holder FROM nodes WHERE id > 0`, { id: 1, holder: '' })
  await after.close()

  for (const age of ['0d', '30', '3651d', '1y']) {
    const invalid = await gatehouse(['prune', '--messages-older-than', age], env)
    assert.equal(invalid.code, 2)
    assert.equal(invalid.err, '--messages-older-than: expected 1d to 3650d, such as 365d for a year\n')
  }
})

/** The results of `doctor` by part. */
async function runDoctor(env: Record<string, string>) {
  const { code, out, err } = await gatehouse(['doctor'], env)
  const lines = out.split('\n').map(line => [line.slice(0, 15).trim(), line.slice(15)])
  return { code, out, err, results: Object.fromEntries(lines) as Record<string, string> }
}

test('community/doctor: the mail server, free disk space and the clock are checked', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db`, PORT: String(await freePort()) }
  await gatehouse(['keys', 'rotate'], env)
  const healthy = await runDoctor(env)
  assert.deepEqual([healthy.code, healthy.err], [0, ''])
  assert.deepEqual(healthy.results, {
    configuration: 'OK: http://localhost:3000',
    database: healthy.results.database,
    bus: 'OK',
    'signing keys': 'OK',
    disk: 'OK',
    mail: `OK: without SMTP_URL, mails are files in ${data}/outbox`,
    'last backup': 'OK: none is recorded',
    proxy:
      `not checked: this service does not run at http://127.0.0.1:${env.PORT}: connect ` +
      `ECONNREFUSED 127.0.0.1:${env.PORT}`,
    '': '',
  })
  assert.match(healthy.results.database ?? '', /^OK: SQLite 3\.\S+, 1 MiB, migration \d{4}-/)
  const mailServer = `127.0.0.1:${await freePort()}`
  const failed = await runDoctor({ ...env, SMTP_URL: `smtp://user:s3cret@${mailServer}` })
  assert.equal(failed.code, 1)
  assert.equal(
    failed.results.mail,
    `failed: SMTP_URL, smtp://${mailServer}: The mail server is not reachable: connect ECONNREFUSED (ESOCKET).`,
  )
  assert.equal(failed.out.includes('s3cret'), false)
})

test('community/doctor: a request through BASE_URL shows whether the headers of the proxy arrive', async t => {
  const data = await folder(t)
  const nodePort = await freePort()
  const env = (url: string, trustProxy: string) => ({
    DATABASE_URL: `sqlite:${data}/g.db`,
    PORT: String(nodePort),
    BASE_URL: url,
    TRUST_PROXY: trustProxy,
  })
  let addressOf: (forwarded: string) => string | undefined = () => undefined
  // Forwards no WebSockets.
  const proxy = await listenHttp(t, (incoming, response) => {
    const { 'x-forwarded-for': forwarded = '', connection, upgrade, ...headers } = incoming.headers
    const address = addressOf(String(forwarded))
    const sent = { ...headers, ...(address === undefined ? {} : { 'x-forwarded-for': address }) }
    const target = { port: nodePort, path: incoming.url, method: incoming.method, headers: sent }
    incoming.pipe(
      request(target, reply => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(response)
      }),
    )
  })
  const trusted = env(proxy.url, '127.0.0.1')
  await startServing(t, trusted)
  const appended = (forwarded: string) => `${forwarded}, 198.51.100.7:49152`
  for (const [address, doctorEnv, expected] of [
    [
      () => undefined,
      trusted,
      'failed: requests arrive from 127.0.0.1 without X-Forwarded-For, so all users have this address',
    ],
    [
      (forwarded: string) => forwarded,
      trusted,
      'failed: 127.0.0.1 does not add the address of the client to X-Forwarded-For',
    ],
    [() => 'unknown', trusted, 'failed: 127.0.0.1 sends no IP address in X-Forwarded-For: unknown'],
    [
      appended,
      env(proxy.url, ''),
      'failed: requests arrive from 127.0.0.1 with X-Forwarded-For, but TRUST_PROXY does not contain this address',
    ],
    [appended, trusted, 'OK'],
    [() => '127.0.0.1', trusted, 'OK'],
  ] as const) {
    addressOf = address
    const { code, results } = await runDoctor(doctorEnv)
    assert.equal(results.proxy, expected)
    assert.equal(
      results.websocket,
      `failed: ${proxy.url.replace('http', 'ws')}/api/gateway/ws does not open: ` +
        'the proxy must forward Upgrade and Connection',
    )
    assert.equal(code, 1)
  }
  const elsewhere = `http://127.0.0.1:${await freePort()}`
  assert.match(
    (await runDoctor(env(elsewhere, '127.0.0.1'))).results.proxy ?? '',
    new RegExp(`^failed: BASE_URL, ${elsewhere}: connect ECONNREFUSED`),
  )
  const direct = await runDoctor(env(`http://127.0.0.1:${nodePort}`, ''))
  assert.deepEqual([direct.results.proxy, direct.results.websocket, direct.code], ['OK', 'OK', 0])
})
