// Starts the service on SQLite with demo data, the example bot and the example site. Ctrl-C stops everything.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { createDemoData } from './demo/data.ts'

const port = Number(process.env.PORT ?? 3000)
const url = `http://localhost:${port}`
const siteUrl = `http://localhost:${port + 1}`
const examples: { kill(): void; exited: Promise<unknown> }[] = []
let stopping = false

/** Starts an example program. The demo stops if the program exits. */
function startExample(file: string, env: Readonly<Record<string, string>>): void {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../examples', file)], {
    env: { ...process.env, GATEHOUSE_URL: url, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit').then(([code]) => stop(code ?? 1))
  examples.push({ kill: () => child.kill('SIGTERM'), exited })
}

async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  for (const example of examples) example.kill()
  await service?.remove()
  await Promise.all(examples.map(({ exited }) => exited))
  process.exit(code)
}

let service: Awaited<ReturnType<typeof startServiceProcess>> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))

service = await startServiceProcess({
  port,
  logFile: 'inherit',
  env: {
    BASE_URL: url,
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    RATE_LIMITS: 'on',
    REGISTRATION: 'open',
  },
})
void service.exited().then(code => stop(code ?? 1))
const data = await createDemoData(service, siteUrl)
startExample('dice-bot/bot.ts', { BOT_TOKEN: data.botToken })
startExample('sign-in-site/server.ts', {
  PORT: String(port + 1),
  CLIENT_ID: data.site.clientId,
  CLIENT_SECRET: data.site.clientSecret,
  PUBLIC_CLIENT_ID: data.site.publicClientId,
})
while (!(await fetch(siteUrl).catch(() => undefined))?.ok) await wait(50)

process.stdout.write(`
  The community             ${url}
  A site with sign-in       ${siteUrl}
  The API                   ${url}/docs

  Sign in as
${data.usernames.map(name => `    ${name.padEnd(8)} ${data.password}`).join('\n')}

  In #games type /roll and press the button under the response. Post a message in #deploys:

    curl -H 'Content-Type: application/json' -d '{"content":"It is deployed."}' '${data.webhookUrl}'

  Ctrl-C stops everything.
`)
