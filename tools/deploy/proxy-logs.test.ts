import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '@gatehouse/testkit/free-port'
import { listenHttp } from '@gatehouse/testkit/listen'
import { readText } from './files.ts'
import { nginx, proxies, type StartProxy } from './proxies.ts'

const secret = 'tHeSeCrEt'
const paths = [
  `/api/webhooks/1234567890123456789/${secret}`,
  `/api/v10/webhooks/1234567890123456789/${secret}/slack?wait=true`,
  `/api/interactions/1234567890123456789/${secret}/callback`,
  `/reset-password?token=${secret}`,
  `/verify-email?token=${secret}`,
  `/invite/${secret}`,
]

/** What logs a request that fails at a node. */
const withLogs = (configuration: string) => configuration.replaceAll(/^ *(access|error)_log.*$/gm, '')

/** Sends requests with secrets through the proxy: to a node, to none, and with a body that is too large. */
async function readLog(
  t: { after(close: () => Promise<void>): void },
  start: StartProxy,
): Promise<string | undefined> {
  const port = await freePort()
  const proxy = await start(port, await freePort())
  if (!proxy) return undefined
  t.after(() => proxy.remove())
  const headers = { referer: `${proxy.url}/reset-password?token=${secret}` }
  for (const path of paths) {
    const { status } = await fetch(proxy.url + path, { method: 'POST', body: 'x', headers })
    assert.ok(status >= 500, `${status} ${path}`)
  }
  const body = new Uint8Array(3 * 1024 * 1024)
  await fetch(proxy.url + paths[0], { method: 'POST', body, headers }).catch(() => undefined)
  return proxy.readLog()
}

for (const [name, start] of Object.entries(proxies)) {
  test(`${name}: URLs with tokens are in no log, also if no node responds`, async t => {
    const log = await readLog(t, start)
    if (log === undefined) return t.skip('the proxy is not installed')
    assert.equal(log.includes(secret), false, log)
  })

  test(`${name}: URLs with tokens are in no log if a node responds`, async t => {
    const node = await listenHttp(t, (incoming, response) => {
      incoming.resume()
      response.end()
    })
    const port = await freePort()
    const proxy = await start(port, node.port)
    if (!proxy) return t.skip('the proxy is not installed')
    t.after(() => proxy.remove())
    for (const path of paths) assert.equal((await fetch(proxy.url + path)).status, 200)
    assert.equal(proxy.readLog().includes(secret), false)
  })
}

test('the logs of nginx that the test reads have URLs unless the configuration prevents it', async t => {
  const log = await readLog(t, nginx(withLogs(readText('deploy/nginx.conf'))))
  if (log === undefined) return t.skip('nginx is not installed')
  assert.match(log, new RegExp(`\\[error\\].*${secret}`))
  assert.match(log, new RegExp(`"POST \\S*${secret}`))
})
