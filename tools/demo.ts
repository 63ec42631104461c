// Starts the service on SQLite with demo data, the example bot and the example site. Ctrl-C stops everything.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoData } from './demo/data.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const port = Number(process.env.PORT ?? 3000)
const url = `http://localhost:${port}`
const siteUrl = `http://localhost:${port + 1}`
const children: ChildProcess[] = []

/** Starts a program of this repository. The demo stops if the program exits. */
function start(file: string, env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [join(root, file), ...(file.endsWith('main.ts') ? ['serve'] : [])], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.once('exit', code => {
    if (!stopping) void stop(code ?? 1)
  })
  children.push(child)
  return child
}

let stopping = false
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await Promise.all(
    children
      .filter(child => child.exitCode === null && child.signalCode === null)
      .map(child => {
        const exited = new Promise(resolve => child.once('exit', resolve))
        child.kill('SIGTERM')
        return exited
      }),
  )
  await rm(folder, { recursive: true, force: true })
  process.exit(code)
}

/** Resolves when the URL returns a successful response. If a program cannot start, its exit stops the demo. */
async function waitUntilReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))

start('packages/server/src/main.ts', {
  BASE_URL: url,
  PORT: String(port),
  HOST: '127.0.0.1',
  DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`,
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  NATS_URL: '',
  SMTP_URL: '',
  SECRET_KEY: '',
  REGISTRATION: 'open',
})
await waitUntilReady(`${url}/readyz`)
const data = await createDemoData(url, siteUrl)
start('examples/dice-bot/bot.ts', { GATEHOUSE_URL: url, BOT_TOKEN: data.bot.token })
start('examples/sign-in-site/server.ts', {
  GATEHOUSE_URL: url,
  PORT: String(port + 1),
  CLIENT_ID: data.site.clientId,
  CLIENT_SECRET: data.site.clientSecret,
  PUBLIC_CLIENT_ID: data.site.publicClientId,
})
await waitUntilReady(siteUrl)

process.stdout.write(`
  The community             ${url}
  A site with sign-in       ${siteUrl}
  The API                   ${url}/docs

  Sign in as
${data.users.map(({ username, password }) => `    ${username.padEnd(8)} ${password}`).join('\n')}

  In #games type /roll and press the button under the response. Post a message in #deploys:

    curl -H 'Content-Type: application/json' -d '{"content":"It is deployed."}' '${data.webhookUrl}'

  Ctrl-C stops everything.
`)
