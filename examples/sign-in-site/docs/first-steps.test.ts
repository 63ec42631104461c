import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, startService } from '@gatehouse/testkit/service'
import {
  createGuideFolder,
  readCodeBlocks,
  runCommands,
  runUntilReady,
  startRegistry,
} from '../../../tools/printed-steps.ts'
import { guide } from './samples.ts'

test('the site runs as the guide prints it, from an empty folder, without a warning', async t => {
  const service = await startService(t)
  const registry = await startRegistry(t, ['openid-client', 'oauth4webapi', 'jose'])
  const { folder, env } = createGuideFolder(t)
  const blocks = readCodeBlocks(readFileSync(guide, 'utf8'), '## In five minutes')
  assert.deepEqual(
    blocks.map(({ language }) => language),
    ['sh', 'ts', 'sh'],
  )
  const [install, site, run] = blocks.map(({ code }) => code)
  await runCommands(install ?? '', { cwd: folder, env: { ...env, npm_config_registry: registry } })
  const cwd = join(folder, 'my-site')
  writeFileSync(join(cwd, 'server.ts'), site ?? '')
  const port = await freePort()
  const command = (run ?? '')
    .replace('https://chat.example.org', service.url)
    .replace('CLIENT_ID=…', 'CLIENT_ID=1')
    .replace('CLIENT_SECRET=…', 'CLIENT_SECRET=2')
  const errors = await runUntilReady(t, command, { cwd, env: { ...env, PORT: String(port) } })
  const response = await fetch(`http://localhost:${port}/sign-in`, { redirect: 'manual' })
  assert.equal(new URL(response.headers.get('location') ?? '').origin, service.url)
  assert.equal(errors(), '')
})
