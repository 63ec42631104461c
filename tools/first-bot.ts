// Measures "the first bot in five minutes" of docs/bots.md: runs its commands and its bot as they are printed, from an empty
// folder, with Node.js and npm only. `node tools/first-bot.ts` starts a service for it. With `--url` and BOT_TOKEN in the
// environment it uses a running one. What a person does in the browser, steps 1 to 3, is not measured. Needs `npm run build`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { installBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { createGuideFolder, readCodeBlocks, runCommands, runUntilReady } from './printed-steps.ts'

/** Anything with `after`, such as a test. */
type Cleanup = Parameters<typeof createGuideFolder>[0]

interface Step {
  name: string
  ms: number
}

const guide = join(import.meta.dirname, '../docs/bots.md')

/** Runs the steps with the service at `url`. `useBot` resolves to the bot's response to its command. */
export async function measureFirstBot(
  t: Cleanup,
  { url, token, useBot }: { url: string; token: string; useBot?: () => Promise<string> },
): Promise<{ steps: Step[]; response: string | undefined }> {
  const steps: Step[] = []
  async function measure<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const result = await work()
    steps.push({ name, ms: performance.now() - startedAt })
    return result
  }
  const blocks = readCodeBlocks(readFileSync(guide, 'utf8'), '## The first bot in five minutes')
  const [install = '', code = '', run = ''] = blocks.map(block =>
    block.code.replaceAll('https://chat.example.org', url).replace('gbt_…', token),
  )
  const { folder, env } = createGuideFolder(t)
  const cwd = join(folder, 'my-bot')
  for (const command of install.split('\n')) {
    const inFolder = steps.some(({ name }) => name.startsWith('cd '))
    await measure(command, () => runCommands(command, { cwd: inFolder ? cwd : folder, env }))
  }
  await measure('write bot.ts', async () => writeFileSync(join(cwd, 'bot.ts'), code))
  await measure('node bot.ts, until it is ready', () => runUntilReady(t, run, { cwd, env }))
  const response = useBot && (await measure('/greet, until its response', useBot))
  return { steps, response }
}

/** Starts a service with a user, a server and a bot on it. */
async function startOwnService(t: Cleanup) {
  const service = await startServiceProcess()
  t.after(() => service.remove())
  const user = await register(service, 'ana')
  const ana = user.client
  const { server, general } = await createServer(user)
  const { token } = await installBot(ana, server.id, { name: 'First bot' })
  const path = `/api/channels/${general.id}`
  async function useBot(): Promise<string> {
    const [command] = await ana.request<{ id: string }[]>('GET', `${path}/commands`)
    const body = { type: 'command', channelId: general.id, commandId: command?.id }
    const { id } = await ana.request<{ id: string }>('POST', '/api/interactions', body)
    for (;;) {
      const { state } = await ana.request<{ state: string }>('GET', `/api/interactions/${id}`)
      if (state === 'answered') break
      if (state !== 'pending' && state !== 'deferred') throw new Error(`The interaction is ${state}`)
      await wait(10)
    }
    const [message] = await ana.request<{ content: string }[]>('GET', `${path}/messages`)
    return message?.content ?? ''
  }
  return { url: service.url, token, useBot }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { url: { type: 'string' } } })
  const cleanups: (() => unknown)[] = []
  const t = { after: (work: () => unknown) => void cleanups.push(work) }
  try {
    const { BOT_TOKEN: token = '' } = process.env
    const given = values.url === undefined ? await startOwnService(t) : { url: values.url, token }
    const { steps, response } = await measureFirstBot(t, given)
    for (const { name, ms } of steps) console.log(`${(ms / 1000).toFixed(2).padStart(8)} s  ${name}`)
    const total = steps.reduce((sum, { ms }) => sum + ms, 0)
    console.log(`${(total / 1000).toFixed(2).padStart(8)} s  in total; the limit is 300 s`)
    if (response !== undefined) console.log(`The bot responded: ${response}`)
  } finally {
    for (const work of cleanups.toReversed()) await work()
  }
}
