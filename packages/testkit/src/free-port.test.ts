import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { freePort, freePorts } from './free-port.ts'

const systemRange = '/proc/sys/net/ipv4/ip_local_port_range'

test('a free port can be used by a server and by fetch', async t => {
  const port = await freePort()
  const server = createServer((_request, response) => response.end('here'))
  t.after(() => server.close())
  await once(server.listen(port, '127.0.0.1'), 'listening')
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'here')
})

test('free ports are above the bad ports of fetch, below the ephemeral ports and all different', async () => {
  const system = existsSync(systemRange) ? Number.parseInt(readFileSync(systemRange, 'utf8'), 10) : 32_768
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()))
  for (const port of ports) assert.ok(port > 10_080 && port < system, `${port}`)
  assert.equal(new Set(ports).size, 200)
})

test('skips a port in use', async t => {
  const used = await usedPort(t)
  const free = await freePort()
  const tries = [used, used, free]
  assert.equal(await freePort(() => tries.shift() ?? 0), free)
  assert.deepEqual(tries, [])
})

test('skips a range that contains a port in use', async t => {
  const used = await usedPort(t)
  const free = await freePorts(3)
  const tries = [used, used - 1, used - 2, free]
  assert.equal(await freePorts(3, () => tries.shift() ?? 0), free)
  assert.deepEqual(tries, [])
})

test('another process does not get a port of this one, also while nothing listens on it', async () => {
  const own = await freePort()
  const script = `
    import { randomInt } from 'node:crypto'
    import { freePort } from ${JSON.stringify(import.meta.resolve('./free-port.ts'))}
    const tries = [${own}, ${own}]
    console.log(await freePort(() => tries.shift() ?? randomInt(10_081, 32_000)))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  assert.match(output, /^\d{5}\n$/)
  assert.notEqual(Number(output), own)
})

async function usedPort(t: TestContext): Promise<number> {
  const server = createServer()
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}
