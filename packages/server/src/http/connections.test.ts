import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { listen } from '@gatehouse/testkit/listen'
import { systemTimers } from '../kit/clock.ts'
import { watchConnections } from './connections.ts'

/** A server that begins to close when it has accepted a connection that has sent nothing. */
async function closeWithNewConnection(t: TestContext): Promise<{ socket: Socket; closing: Promise<void> }> {
  const server = createServer((_request, response) => response.end('done'))
  const connections = watchConnections(server, systemTimers)
  const { port } = await listen(t, server)
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1')
  await accepted
  const closing = connections.drainAcceptQueue().then(() => void server.close())
  return { socket, closing }
}

test('a new connection gets a response if its request arrives after the server began to close', async t => {
  const { socket, closing } = await closeWithNewConnection(t)
  for (let i = 0; i < 20; i++) await turn()
  socket.write('GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK/)
  await closing
})

test('a connection that sends nothing is closed', async t => {
  const { socket, closing } = await closeWithNewConnection(t)
  assert.equal(await text(socket), '')
  await closing
})
