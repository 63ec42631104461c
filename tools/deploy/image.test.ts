// Runs in its own process: it waits for npm.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@gatehouse/testkit/free-port'
import { buildImage } from './dockerfile.ts'
import { version } from './files.ts'

test('the service of the Dockerfile runs as another user that can only write to the volume', async t => {
  const image = buildImage(t)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const [uid = 0, gid = 0] = image.user.split(':').map(Number)
  // Only root can start it as the user of the image.
  const user = process.getuid?.() === 0 ? { uid, gid } : {}
  const options = {
    cwd: image.workdir,
    env: {
      ...image.env,
      PATH: [join(image.folder, 'usr/local/bin'), process.env.PATH].join(delimiter),
      BASE_URL: url,
      HOST: '127.0.0.1',
      PORT: `${port}`,
    },
    ...user,
  }
  function run([command = '', ...args]: readonly string[]): number | null {
    return spawnSync(command, args, { ...options, stdio: 'ignore' }).status
  }
  const [command = '', ...args] = [...image.entrypoint, ...image.cmd]

  await t.test('the image has the Node.js version of the tests, and no packages for development', () => {
    assert.equal(image.baseImage, `node:${process.versions.node}-trixie-slim`)
    assert.notEqual(uid, 0)
    const modules = join(image.folder, 'usr/local/lib/node_modules')
    assert.deepEqual(readdirSync(modules), ['gatehouse'])
    for (const name of ['typescript', 'rolldown', 'vite']) {
      assert.ok(!existsSync(join(modules, 'gatehouse/node_modules', name)), name)
    }
    // The user of the image may not enter the folder of this repository, for example below `/root`.
    const { stdout } = spawnSync('node', ['-p', 'process.execPath'], { ...options, encoding: 'utf8' })
    assert.equal(stdout.trim(), join(image.folder, 'usr/local/bin/node'))
    assert.equal(spawnSync(command, ['--version'], { ...options, encoding: 'utf8' }).stdout.trim(), version)
  })

  await t.test('it is healthy, serves pages and writes only to the volume', async t => {
    assert.equal(run(image.healthcheck), 1)
    assert.notEqual(run(['touch', join(image.folder, 'file')]), 0)
    const service = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(service, 'exit')
    t.after(() => service.kill('SIGKILL'))
    for await (const text of service.stdout.setEncoding('utf8')) if (text.includes('"ready"')) break
    assert.equal(run(image.healthcheck), 0)
    const page = await fetch(`${url}/login`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<h1/)
    const volume = image.volumes[0] ?? ''
    for (const name of ['gatehouse.db', 'secret.key']) assert.ok(existsSync(join(volume, name)), name)

    service.kill('SIGTERM')
    // The time that `docker stop` gives it.
    const [code] = await Promise.race([exited, wait(10_000, ['timeout'], { ref: false })])
    assert.equal(code, 0)
  })
})
