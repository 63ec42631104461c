import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generate } from 'otplib'
import { freePort } from './testing.ts'

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

function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } })
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

async function gatehouse(args: string[], env: Record<string, string>, input = ''): Promise<Run> {
  const { child, ended } = start(args, env)
  child.stdin.end(input)
  return ended
}

async function serving(t: TestContext, env: Record<string, string>) {
  const port = String(await freePort())
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

test('a variable that does not hold stops the start with one line that names it', async () => {
  const { code, out, err } = await gatehouse(['serve'], { PORT: 'eighty' })
  assert.equal(code, 2)
  assert.equal(out, '')
  assert.equal(err, 'PORT: expected a whole number from 0 to 65535, not "eighty"\n')
})

test('a command that is not known shows the usage', async () => {
  assert.equal((await gatehouse(['dance'], {})).code, 2)
  const help = await gatehouse([], {})
  assert.equal(help.code, 0)
  assert.match(help.out, /keys rotate/)
})

test('a first start makes folder, database and key; a second start works on them; SIGTERM ends each', async t => {
  const data = join(await folder(t), 'new')
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const first = await serving(t, env)
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
  for (const file of ['g.db', 'secret.key'])
    assert.equal((await stat(join(data, file))).mode & 0o077, 0, file)

  const second = await serving(t, env)
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

test('a port that is taken ends the start with a line that says so', async t => {
  const data = await folder(t)
  const running = await serving(t, { DATABASE_URL: `sqlite:${data}/a.db` })
  const port = new URL(running.url).port
  const { code, err } = await gatehouse(['serve'], { PORT: port, DATABASE_URL: `sqlite:${data}/b.db` })
  assert.equal(code, 1)
  assert.match(err, /EADDRINUSE/)
})

test('accounts are made and passwords set by whoever runs the service, while it runs', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db`, REGISTRATION: 'closed' }
  const { url } = await serving(t, env)
  const who = ['--username', 'boris', '--email', 'boris@example.org']
  const made = await gatehouse(['user', 'create', ...who], env, 'correct horse\n')
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^boris was made, with the id \d{19}\.\n$/)
  const login = async (password: string) => {
    const reply = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'boris', password }),
    })
    return reply.status
  }
  assert.equal(await login('correct horse'), 200)
  const reset = await gatehouse(['user', 'reset-password', '--login', 'boris'], env, 'battery staple\n')
  assert.equal(reset.code, 0, reset.err)
  assert.equal(await login('battery staple'), 200)
  assert.equal(await login('correct horse'), 401)

  const short = await gatehouse(['user', 'reset-password', '--login', 'boris'], env, 'short\n')
  assert.equal(short.code, 1)
  assert.match(short.err, /^password: /)
  assert.equal(
    (await gatehouse(['user', 'create', '--username', 'x'], env, 'correct horse\n')).err,
    '--email is missing\n',
  )
})

test('a person who lost their second factor signs in with the password alone again', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  const { url } = await serving(t, env)
  const named = ['--username', 'boris', '--email', 'boris@example.org']
  const created = await gatehouse(['user', 'create', ...named], env, 'correct horse\n')
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
  assert.match(reset.out, /^boris signs in with the password alone/)
  assert.equal((await login()).status, 200)
  const nobody = await gatehouse(['user', 'reset-second-factor', '--login', 'nobody'], env)
  assert.equal(nobody.code, 1)
})

test('keys are rotated, the database is copied and doctored while the service runs', async t => {
  const data = await folder(t)
  const env = { DATABASE_URL: `sqlite:${data}/g.db` }
  await serving(t, env)
  const rotated = await gatehouse(['keys', 'rotate'], env)
  assert.equal(rotated.code, 0, rotated.err)
  assert.match(rotated.out, /^The key \S+ is published now and signs from /)
  const copied = await gatehouse(['backup', `${data}/copy.db`], env)
  assert.equal(copied.code, 0, copied.err)
  // Password hashes stand in it: like the database itself it is for its owner alone.
  assert.equal((await stat(`${data}/copy.db`)).mode & 0o777, 0o600)
  const again = await gatehouse(['backup', `${data}/copy.db`], env)
  assert.equal(again.code, 1)
  assert.match(again.err, /exists already/)
  const doctor = await gatehouse(['doctor'], env)
  assert.equal(doctor.code, 0, doctor.out)
  const otherKey = Buffer.alloc(32, 7).toString('base64')
  const ill = await gatehouse(['doctor'], { ...env, SECRET_KEY: otherKey })
  assert.equal(ill.code, 1)
  assert.match(ill.out, /signing keys +not good: they were sealed with another/)
  assert.equal((await gatehouse(['migrate'], { DATABASE_URL: `sqlite:${data}/copy.db` })).code, 0)
})
