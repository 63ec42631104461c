import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxHeaderBytes, maxRequestQuery } from '@gatehouse/protocol/limits'
import { freePort } from '@gatehouse/testkit/free-port'
import { listen } from '@gatehouse/testkit/listen'
import { startCaddy, startHaproxy, startNginx } from '@gatehouse/testkit/local-servers'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { readText, root } from './files.ts'

/** Starts a proxy before one node. Undefined if it is not installed. */
type StartProxy = (port: number, nodePort: number) => Promise<ServerProcess | undefined>

const nginx =
  (configuration: string): StartProxy =>
  (port, node) =>
    startNginx(configuration, port, [node, node, node])

const proxies: Record<string, StartProxy> = {
  'deploy/nginx.conf': nginx(readText('deploy/nginx.conf')),
  'nginx in docs/operate.md': nginx(/```nginx\n([\s\S]*?)```/.exec(readText('docs/operate.md'))?.[1] ?? ''),
  'deploy/haproxy.cfg': (port, node) => {
    const names = ['GATEHOUSE_NODE_1', 'GATEHOUSE_NODE_2', 'GATEHOUSE_NODE_3']
    const nodes = Object.fromEntries(names.map(name => [name, `127.0.0.1:${node}`]))
    const env = { GATEHOUSE_ADDRESS: `127.0.0.1:${port}`, ...nodes }
    return startHaproxy(join(root, 'deploy/haproxy.cfg'), port, env)
  },
  'deploy/Caddyfile': (port, node) => startCaddy(join(root, 'deploy/Caddyfile'), port, [node]),
}

const secret = 'tHeSeCrEt'
const paths = [
  `/api/webhooks/1234567890123456789/${secret}`,
  `/api/v10/webhooks/1234567890123456789/${secret}/slack?wait=true`,
  `/api/interactions/1234567890123456789/${secret}/callback`,
  `/reset-password?token=${secret}`,
  `/verify-email?token=${secret}`,
  `/invite/${secret}`,
]
const longest = `/oauth2/authorize?state=${'%D1'.repeat(8000)}`.padEnd(maxRequestQuery, '&x=1')
const bodyBytes = 9 * 1024 * 1024

/** Posts to each path with a token. Resolves to the status codes. */
function sendTokens(url: string): Promise<number[]> {
  const headers = { referer: `${url}/reset-password?token=${secret}` }
  const send = (path: string) => fetch(url + path, { method: 'POST', body: 'x', headers, redirect: 'manual' })
  return Promise.all(paths.map(async path => (await send(path)).status))
}

for (const [name, start] of Object.entries(proxies)) {
  test(`sign-in/state: ${name} passes long URLs and bodies of 9 MiB, and no log has a token`, async t => {
    const bodies: number[] = []
    const server = createServer({ maxHeaderSize: maxHeaderBytes }, async (incoming, response) => {
      let bytes = 0
      for await (const chunk of incoming) bytes += chunk.length
      if (bytes > 1) bodies.push(bytes)
      const location = incoming.url ?? ''
      response.writeHead(location === '/readyz' ? 200 : 303, { location }).end()
    })
    const node = await listen(t, server)
    const proxy = await start(await freePort(), node.port)
    if (!proxy) return t.skip('the proxy is not installed')
    t.after(() => proxy.remove())
    async function send(path: string, headers = {}): Promise<(number | string | undefined)[]> {
      const options = { headers, maxHeaderSize: 2 * maxHeaderBytes, signal: AbortSignal.timeout(20_000) }
      const sent = request(proxy?.url + path, options)
      if ('content-length' in headers) sent.flushHeaders()
      else sent.end()
      const [reply]: IncomingMessage[] = await once(sent, 'response')
      sent.on('error', () => undefined).destroy()
      return [reply?.statusCode, reply?.headers.location]
    }
    assert.deepEqual(await send(longest), [303, longest])
    const options = { method: 'POST', body: new Uint8Array(bodyBytes), redirect: 'manual' } as const
    assert.equal((await fetch(proxy.url + paths[0], options)).status, 303)
    assert.deepEqual(bodies, [bodyBytes])
    // nginx would store more on its disk. It does not wait for the body.
    if (name.includes('nginx'))
      assert.deepEqual(await send(`${paths[0]}`, { 'content-length': bodyBytes + 1 }), [413, undefined])

    assert.deepEqual(
      await sendTokens(proxy.url),
      paths.map(() => 303),
    )
    server.close()
    server.closeAllConnections()
    for (const status of await sendTokens(proxy.url)) assert.ok(status >= 500, `${status}`)
    assert.equal(proxy.readLog().includes(secret), false, proxy.readLog())
  })
}

test('nginx logs these URLs unless its configuration prevents it', async t => {
  const configuration = readText('deploy/nginx.conf').replaceAll(/^ *(access|error)_log.*$/gm, '')
  const proxy = await nginx(configuration)(await freePort(), await freePort())
  if (!proxy) return t.skip('nginx is not installed')
  t.after(() => proxy.remove())
  await sendTokens(proxy.url)
  assert.match(proxy.readLog(), new RegExp(`\\[error\\].*${secret}[\\s\\S]*"POST \\S*${secret}`))
})
