import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createShellFolder, runCommands, runUntilReady } from '@gatehouse/testkit/shell'
import { startBotSetup } from './testing.ts'

const runtimes = [
  { name: 'Node.js 20', program: 'node', version: /^v20\./, args: [] },
  { name: 'Node.js 22', program: 'node', version: /^v22\./, args: [] },
  { name: 'Node.js 24', program: 'node', version: /^v24\./, args: [] },
  { name: 'Bun', program: 'bun', version: /^1\./, args: [] },
  { name: 'Deno', program: 'deno', version: /^deno 2\./, args: ['run', '--allow-net', '--allow-env'] },
]

/** Uses what a bot needs besides the gateway. Without types, because Node.js 20 runs only JavaScript. */
const program = `
import { createBot, createTestBot, createWebhook } from '@gatehouse/bot'

const { PUBLIC_KEY, SIGNATURE, WEBHOOK_URL } = process.env
const bot = createBot({ url: 'http://localhost', token: 'none', publicKey: PUBLIC_KEY })
const headers = { 'x-signature-timestamp': '1', 'x-signature-ed25519': SIGNATURE }
const request = new Request('http://localhost/', { method: 'POST', headers, body: '{"type":"ping"}' })
console.log(await (await bot.fetch(request)).text())
const forged = new Request('http://localhost/', { method: 'POST', headers, body: '{"type":"pong"}' })
console.log((await bot.fetch(forged)).status)

bot.command({ name: 'echo', description: 'Echo' }, ctx => ctx.reply('tested'))
const use = createTestBot(bot).command('echo')
await use.ended
console.log(use.reply.content)
await createWebhook(WEBHOOK_URL).send({ content: 'from the webhook' })
`

function findRuntime({ program, version }: (typeof runtimes)[number]): string | undefined {
  return process.env.PATH?.split(delimiter)
    .map(folder => join(folder, program))
    .find(file => existsSync(file) && version.test(execFileSync(file, ['--version'], { encoding: 'utf8' })))
}

for (const runtime of runtimes) {
  const file = findRuntime(runtime)
  const skip = file === undefined && `${runtime.name} is not installed`
  test(`the package of a running service works on ${runtime.name}`, { skip }, async t => {
    const { service, ana, channelId, token, use, commandId, messages } = await startBotSetup(t)
    const { folder, env } = createShellFolder(t)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    await runCommands(`npm install ${service.url}/sdk/gatehouse-bot.tgz`, { cwd: folder, env })

    // It contains no types.
    copyFileSync(join(import.meta.dirname, 'docs/first-bot.ts'), join(folder, 'bot.js'))
    const connection = { ...env, GATEHOUSE_URL: service.url, BOT_TOKEN: token }
    const command = [file, ...runtime.args].join(' ')
    await runUntilReady(t, `${command} bot.js`, { cwd: folder, env: connection })
    assert.equal(await use({ type: 'command', commandId: await commandId('greet') }), 'answered')
    const [greeting] = await messages()
    const customId = greeting?.components[0]?.components[0]?.customId
    assert.equal(await use({ type: 'component', messageId: greeting?.id, customId }), 'answered')

    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const webhook = await ana.request<{ url: string }>('POST', `/api/channels/${channelId}/webhooks`, {
      name: 'Deploys',
    })
    writeFileSync(join(folder, 'program.js'), program)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} program.js`], {
      cwd: folder,
      env: {
        ...env,
        PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
        SIGNATURE: sign(null, Buffer.from('1{"type":"ping"}'), privateKey).toString('hex'),
        WEBHOOK_URL: webhook.url,
      },
    })
    assert.equal(stdout, '{"type":"pong"}\n401\ntested\n')
    assert.equal((await messages())[0]?.content, 'from the webhook')
  })
}
