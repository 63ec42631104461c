import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createResolver } from './resolver.ts'

test('resolves localhost and its subdomains to loopback addresses without DNS (RFC 6761 section 6.3)', async () => {
  const resolve = createResolver({ hostsFile: '/nowhere' })
  for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'bot.localhost']) {
    assert.deepEqual(await resolve(name), ['127.0.0.1', '::1'], name)
  }
})

test('resolves whole names from the hosts file', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  t.after(() => rm(folder, { recursive: true }))
  const hostsFile = join(folder, 'hosts')
  const lines = [
    '# 10.9.9.9 bot',
    '10.0.0.1\tbot bot.internal # comment',
    'fd00::1 Bot',
    'nonsense bot',
    '10.0.0.2 robot',
  ]
  await writeFile(hostsFile, lines.join('\n'))
  const resolve = createResolver({ hostsFile })
  assert.deepEqual(await resolve('bot'), ['10.0.0.1', 'fd00::1'])
  assert.deepEqual(await resolve('BOT.internal.'), ['10.0.0.1'])
  assert.deepEqual(await resolve('robot'), ['10.0.0.2'])
})
