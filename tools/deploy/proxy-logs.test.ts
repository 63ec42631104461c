import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@gatehouse/testkit/free-port'
import { listenHttp } from '@gatehouse/testkit/listen'
import { type LocalServer, startCaddy, startHaproxy, startNginx } from '@gatehouse/testkit/local-servers'
import { readText } from './files.ts'

const secret = 'tHeSeCrEt'
const paths = [
  `/api/webhooks/1234567890123456789/${secret}`,
  `/api/v10/webhooks/1234567890123456789/${secret}/slack?wait=true`,
  `/api/interactions/1234567890123456789/${secret}/callback`,
  `/reset-password?token=${secret}`,
  `/verify-email?token=${secret}`,
  `/invite/${secret}`,
]

const deploy = join(import.meta.dirname, '../../deploy')
/** The example of docs/operate.md, whose upstream has one node. */
const [, documented = ''] = /```nginx\n([\s\S]*?)```/.exec(readText('docs/operate.md')) ?? []
/** What logs a request that fails at a node. */
const withLogs = (configuration: string) => configuration.replaceAll(/^ *(access|error)_log.*$/gm, '')

type Start = (port: number, nodePort: number) => Promise<LocalServer | undefined>

const nginx =
  (configuration: string): Start =>
  (port, nodePort) =>
    startNginx(configuration, port, [nodePort, nodePort, nodePort])
const proxies: Record<string, Start> = {
  'deploy/nginx.conf': nginx(readText('deploy/nginx.conf')),
  'nginx in docs/operate.md': nginx(documented),
  'deploy/haproxy.cfg': (port, nodePort) => {
    const node = `127.0.0.1:${nodePort}`
    return startHaproxy(join(deploy, 'haproxy.cfg'), port, {
      GATEHOUSE_ADDRESS: `127.0.0.1:${port}`,
      GATEHOUSE_NODE_1: node,
      GATEHOUSE_NODE_2: node,
      GATEHOUSE_NODE_3: node,
    })
  },
  'deploy/Caddyfile': (port, nodePort) => startCaddy(join(deploy, 'Caddyfile'), port, [nodePort]),
}

/** Sends requests with secrets through the proxy: to a node, to none, and with a body that is too large. */
async function readLog(
  t: { after(close: () => Promise<void>): void },
  start: Start,
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
