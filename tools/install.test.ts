// Runs in its own process: it waits for npm.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@gatehouse/testkit/free-port'
import { shellEnvironment } from '@gatehouse/testkit/shell'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { readText, root, version } from './deploy/files.ts'

const dockerfile = readText('Dockerfile')
const [build = '', install = ''] = Array.from(
  dockerfile.matchAll(/^RUN (npm .*)$/gm),
  ([, command = '']) => command,
)
const [ci = '', pack = ''] = build.split(' && ')

function trackedFiles(...options: string[]): string[] {
  const args = ['ls-files', '-z', '--cached', ...options]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
}

test('the tracked files are enough for npm start and for the image', async t => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'gatehouse-install-'))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  const ignored = trackedFiles('--ignored', '--exclude-from=.dockerignore')
  for (const file of trackedFiles()) {
    // A file that was deleted is tracked until the next commit.
    if (!ignored.includes(file) && fs.existsSync(join(root, file)))
      fs.cpSync(join(root, file), join(folder, file))
  }
  const env: NodeJS.ProcessEnv = { ...shellEnvironment(), npm_config_prefer_offline: 'true' }
  const run = (command: string) => spawnSync(command, { cwd: folder, env, shell: true, encoding: 'utf8' })
  const url = `http://127.0.0.1:${await freePort()}`
  const settings = { HOST: '127.0.0.1', PORT: new URL(url).port, BASE_URL: url }

  await t.test('npm start says that npm ci is missing', () => {
    const { stderr } = run('npm start')
    assert.match(stderr, /^Run `npm ci` first\./m)
    assert.doesNotMatch(stderr, /^ +at /m)
  })

  await t.test('npm ci without development dependencies prints no warning', () => {
    const { status, stderr } = run(ci)
    // Warnings about the settings of this machine, not about the packages.
    const warnings = stderr.split('\n').filter(line => line !== '' && !line.includes('Unknown'))
    assert.deepEqual([status, warnings], [0, []])
    assert.ok(!fs.existsSync(join(folder, 'node_modules/@biomejs/biome')))
  })

  await t.test('npm start builds and serves the web client and the bot library', async t => {
    const options = { cwd: folder, env: { ...env, ...settings }, shell: true, detached: true } as const
    const service = spawn('npm start', { ...options, stdio: 'ignore' })
    const ended = once(service, 'exit')
    t.after(async () => {
      if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, 'SIGTERM')
      await ended
    })
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => service.exitCode !== null,
      )
    // It builds first.
    while (!(await isReady())) await wait(100)
    assert.match(await (await fetch(url)).text(), /<script type="module"/)
    assert.equal((await fetch(`${url}/sdk/gatehouse-bot.tgz`)).status, 200)
  })

  const skip = process.getuid?.() !== 0 && 'only root can start the service as another user'
  await t.test('the image runs as a user who can write only to the volume', { skip }, async t => {
    const image = join(folder, 'image')
    assert.equal(run(pack).status, 0)
    assert.equal(run(install.replace('/opt/gatehouse', image)).status, 0)
    assert.deepEqual(fs.readdirSync(join(image, 'lib/node_modules')), ['gatehouse'])
    assert.match(dockerfile, new RegExp(`^FROM node:${process.versions.node}-trixie-slim AS node$`, 'm'))
    assert.match(dockerfile, /^COPY --from=build --chown=1000:1000 \/data \/data$/m)
    assert.match(dockerfile, /^USER 1000:1000\nVOLUME \/data$/m)
    assert.match(dockerfile, /^ENTRYPOINT \["gatehouse"\]\nCMD \["serve"\]$/m)

    // As in the base image. The user may not enter the folder that contains this Node.js.
    fs.copyFileSync(process.execPath, join(image, 'bin/node'))
    fs.chmodSync(folder, 0o755)
    fs.mkdirSync(join(image, 'data'))
    fs.chownSync(join(image, 'data'), 1000, 1000)
    const path = [join(image, 'bin'), env.PATH].join(delimiter)
    const options = { cwd: image, env: { ...env, ...settings, PATH: path }, uid: 1000, gid: 1000 }
    const inImage = ([command = '', ...args]: string[]) =>
      spawnSync(command, args, { ...options, encoding: 'utf8' })
    assert.equal(inImage(['gatehouse', '--version']).stdout, `${version}\n`)
    assert.notEqual(inImage(['touch', 'file']).status, 0)

    const healthcheck: string[] = JSON.parse(/^ +CMD (.*)$/m.exec(dockerfile)?.[1] ?? '')
    assert.equal(inImage(healthcheck).status, 1)
    const service = spawn('gatehouse', ['serve'], { ...options, stdio: 'ignore' })
    t.after(() => service.kill('SIGKILL'))
    const ended = once(service, 'exit')
    await waitUntil(() => inImage(healthcheck).status === 0)
    assert.match(await (await fetch(`${url}/login`)).text(), /<h1/)
    for (const name of ['gatehouse.db', 'secret.key'])
      assert.ok(fs.existsSync(join(image, 'data', name)), name)
    service.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})
