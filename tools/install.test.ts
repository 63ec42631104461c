// Runs in its own process: it waits for npm.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@gatehouse/testkit/free-port'

const root = join(import.meta.dirname, '..')

/** The environment of a shell on this machine, without what `npm test` adds: its variables, and the installed Node.js. */
function shellEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE|INIT_CWD)/.test(name))
  const folders = process.env.PATH?.split(delimiter).filter(folder => !folder.includes('node_modules'))
  return { ...Object.fromEntries(inherited), PATH: folders?.join(delimiter) }
}

test('in a folder with only the tracked files, npm ci --omit=dev installs all that npm start needs', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-install-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  for (const file of tracked.split('\0')) {
    // A file that was deleted is tracked until the next commit.
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file))
  }
  const env = shellEnvironment()

  const early = spawnSync('npm start', { cwd: folder, env, shell: true, encoding: 'utf8' })
  assert.match(early.stderr, /^Run `npm ci` first\./m)
  assert.doesNotMatch(early.stderr, /^ +at /m)

  const install = spawnSync('npm ci --omit=dev --ignore-scripts --prefer-offline', {
    cwd: folder,
    env,
    shell: true,
    encoding: 'utf8',
  })
  // Warnings about the settings of this machine, not about the packages.
  const warnings = install.stderr.split('\n').filter(line => line !== '' && !line.includes('Unknown'))
  assert.deepEqual([install.status, warnings], [0, []])
  assert.ok(!existsSync(join(folder, 'node_modules/@biomejs/biome')))

  const url = `http://127.0.0.1:${await freePort()}`
  const service = spawn('npm start', {
    cwd: folder,
    env: { ...env, HOST: '127.0.0.1', PORT: new URL(url).port, BASE_URL: url },
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [service.stdout, service.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const ended = once(service, 'exit')
  t.after(async () => {
    if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, 'SIGTERM')
    await ended
  })
  while (!(await isReady(url))) {
    assert.equal(service.exitCode, null, output)
    await wait(100)
  }
  assert.match(await (await fetch(url)).text(), /<script type="module"/)
  assert.equal((await fetch(`${url}/sdk/gatehouse-bot.tgz`)).status, 200)
})

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}
