import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createShellFolder, runCommands, runUntilReady } from '@gatehouse/testkit/shell'
import { readCodeBlocks } from './docs/samples.ts'
import { startBotSetup } from './testing.ts'

for (const name of ['dice-bot', 'welcome-bot', 'moderation-bot']) {
  test(`${name} of a running service runs with it, with the commands of its README`, async t => {
    const { service, ana, applicationId, token, use, commandId } = await startBotSetup(t)
    await ana.request('PATCH', `/api/applications/${applicationId}`, { privilegedIntents: ['members'] })
    const { folder, env } = createShellFolder(t)
    const reply = await service.client().get(`/docs/examples/${name}.tgz`)
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'application/gzip'])

    const readme = readFileSync(join(import.meta.dirname, '../../examples', name, 'README.md'), 'utf8')
    const [install] = readCodeBlocks(readme)
    const commands = install?.code.replace('http://localhost:3000', service.url) ?? ''
    await runCommands(commands, { cwd: folder, env })
    const cwd = join(folder, name)
    for (const file of ['.env', 'README.md', 'bot.ts', 'package.json']) {
      const text = readFileSync(join(cwd, file), 'utf8')
      assert.ok(text.includes(service.url) && !text.includes('localhost:3000'), file)
    }

    const start = promisify(execFile)('npm', ['start'], { cwd, env })
    await assert.rejects(start, ({ stderr }) => /^BOT_TOKEN is missing: copy the bot token/m.test(stderr))
    const settings = readFileSync(join(cwd, '.env'), 'utf8').replace('BOT_TOKEN=', `BOT_TOKEN=${token}`)
    writeFileSync(join(cwd, '.env'), settings)
    const errors = await runUntilReady(t, 'npm start', { cwd, env })
    if (name === 'dice-bot') {
      assert.equal(await use({ type: 'command', commandId: await commandId('roll') }), 'answered')
    }
    assert.equal(errors(), '')
    assert.match((await promisify(execFile)('npm', ['test'], { cwd, env })).stdout, /^ℹ fail 0$/m)
  })
}

test('an unknown example is 404', async t => {
  const { service } = await startBotSetup(t)
  for (const file of ['sign-in-site.tgz', 'dice-bot', '__proto__.tgz', 'dice-bot.tgz/bot.ts'])
    assert.equal((await service.client().get(`/docs/examples/${file}`)).status, 404, file)
})
