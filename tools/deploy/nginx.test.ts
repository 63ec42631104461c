import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { freePort } from '@gatehouse/testkit/free-port'
import { listenHttp } from '@gatehouse/testkit/listen'
import { startNginx } from '@gatehouse/testkit/local-servers'
import { readText } from './files.ts'

const mebibyte = 1024 * 1024

test('nginx sends bodies of up to 9 MiB to a node, and rejects larger ones before it stores them', async t => {
  const bodies: number[] = []
  const node = await listenHttp(t, async (incoming, response) => {
    let bytes = 0
    for await (const chunk of incoming) bytes += chunk.length
    bodies.push(bytes)
    response.writeHead(413).end('from the node')
  })
  const port = await freePort()
  const nginx = await startNginx(readText('deploy/nginx.conf'), port, [node.port, node.port, node.port])
  if (!nginx) return t.skip('nginx is not installed')
  t.after(() => nginx.remove())
  const body = new Uint8Array(9 * mebibyte)
  const accepted = await fetch(nginx.url, { method: 'POST', body })
  assert.deepEqual([accepted.status, await accepted.text()], [413, 'from the node'])

  // Without its body, which nginx does not wait for.
  const headers = { 'content-length': body.length + 1 }
  const larger = request(nginx.url, { method: 'POST', headers, signal: AbortSignal.timeout(5000) })
  larger.flushHeaders()
  const [rejected]: IncomingMessage[] = await once(larger, 'response')
  assert.equal(rejected?.statusCode, 413)
  larger.on('error', () => undefined).destroy()
  assert.deepEqual(bodies, [body.length])
})
