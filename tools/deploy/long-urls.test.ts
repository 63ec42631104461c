import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { maxHeaderBytes, maxRequestQuery } from '@gatehouse/protocol/limits'
import { freePort } from '@gatehouse/testkit/free-port'
import { listen } from '@gatehouse/testkit/listen'
import { proxies } from './proxies.ts'

for (const [name, start] of Object.entries(proxies)) {
  test(`sign-in/state: ${name} passes the longest authorization request, and the redirect that returns it`, async t => {
    const server = createServer({ maxHeaderSize: maxHeaderBytes }, ({ url }, response) => {
      if (url === '/readyz') response.end()
      else response.writeHead(303, { location: url }).end()
    })
    const node = await listen(t, server)
    const port = await freePort()
    const proxy = await start(port, node.port)
    if (!proxy) return t.skip(`${name} is not installed`)
    t.after(() => proxy.remove())
    const path = `/oauth2/authorize?state=${'%D1'.repeat(8000)}`.padEnd(maxRequestQuery, '&x=1')
    const sent = request(`http://127.0.0.1:${port}${path}`, { maxHeaderSize: 2 * maxHeaderBytes }).end()
    const [reply]: IncomingMessage[] = await once(sent, 'response')
    reply?.resume()
    assert.deepEqual([reply?.statusCode, reply?.headers.location === path], [303, true])
  })
}
