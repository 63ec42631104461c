import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { createShellFolder, runCommands, runUntilReady } from '@gatehouse/testkit/shell'
import { startBotSetup } from '../testing.ts'
import { guide, guides, readCodeBlocks, readme } from './samples.ts'

const text = readFileSync(guide, 'utf8')

test('the first bot runs as the guide prints it, from an empty folder, without a warning', async t => {
  const { service, token, use, commandId, messages } = await startBotSetup(t)
  const { folder, env } = createShellFolder(t)
  const blocks = readCodeBlocks(text, '## The first bot in five minutes')
  assert.deepEqual(
    blocks.map(({ language }) => language),
    ['sh', 'ts', 'sh'],
  )
  const [install, bot, run] = blocks.map(({ code }) => code)
  const atService = (text: string) => text.replace('https://chat.example.org', service.url)
  await runCommands(atService(install ?? ''), { cwd: folder, env })
  const cwd = join(folder, 'my-bot')
  writeFileSync(join(cwd, 'bot.ts'), bot ?? '')
  const command = atService(run ?? '').replace('gbt_…', token)
  const errors = await runUntilReady(t, command, { cwd, env })
  assert.equal(await use({ type: 'command', commandId: await commandId('greet') }), 'answered')
  const [greeting] = await messages()
  assert.match(greeting?.content ?? '', /^Hello <@\d+>!$/)
  const customId = greeting?.components[0]?.components[0]?.customId
  assert.equal(await use({ type: 'component', messageId: greeting?.id, customId }), 'answered')
  assert.match((await messages())[0]?.content ?? '', /^ana waves at <@\d+>$/)
  assert.equal(errors(), '')

  await t.test('and so does the TypeScript of the other pages, in the same folder', async t => {
    const samples = guides
      .flatMap(page => readCodeBlocks(readFileSync(page, 'utf8')))
      .filter(({ file }) => file?.endsWith('.ts'))
    const files = samples.map(({ file = '' }) => basename(file))
    for (const [index, { code }] of samples.entries()) writeFileSync(join(cwd, files[index] ?? ''), code)
    const bots = ['first-bot.ts', 'without-sdk.ts']
    for (const file of files.filter(name => !bots.includes(name))) {
      const { status, stderr } = spawnSync(process.execPath, [file], { cwd, env, encoding: 'utf8' })
      assert.deepEqual([status, stderr], [0, ''], file)
    }
    for (const file of bots) {
      const connection = { ...env, GATEHOUSE_URL: service.url, BOT_TOKEN: token }
      const errors = await runUntilReady(t, `node ${file}`, { cwd, env: connection })
      assert.equal(errors(), '', file)
    }
    assert.match(execFileSync(process.execPath, ['--test'], { cwd, env, encoding: 'utf8' }), /pass 2\n/)
  })

  await t.test('and the first bot of the README, with the commands that it names', async t => {
    const [, commands = ''] = /`(npm init [^`]*)`/.exec(readFileSync(readme, 'utf8')) ?? []
    await runCommands(`mkdir other && cd other && ${atService(commands)}`, { cwd: folder, env })
    const other = join(folder, 'other')
    const [sample] = readCodeBlocks(readFileSync(readme, 'utf8'))
    writeFileSync(join(other, 'bot.ts'), sample?.code ?? '')
    const connection = { ...env, GATEHOUSE_URL: service.url, BOT_TOKEN: token }
    const errors = await runUntilReady(t, 'node bot.ts', { cwd: other, env: connection })
    assert.equal(errors(), '')
  })
})
