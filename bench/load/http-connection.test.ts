import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { HttpConnection, requestText } from './http-connection.ts'

/** Starts a server that responds to each request with the next list of pieces, each sent as its own write. */
async function answering(t: TestContext, answers: readonly (readonly string[])[]): Promise<HttpConnection> {
  const left = [...answers]
  const server = createServer(socket => {
    socket.setNoDelay(true)
    socket.on('data', () => {
      const [first, ...rest] = left.shift() ?? []
      if (first === undefined) return socket.destroy()
      socket.write(first, () => {
        for (const piece of rest) setImmediate(() => socket.write(piece))
      })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  const connection = new HttpConnection(address.port)
  t.after(() => {
    connection.close()
    server.close()
  })
  return connection
}

test('parses responses with Content-Length, in chunks, without a body, and in several pieces', async t => {
  const connection = await answering(t, [
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'],
    ['HTTP/1.1 204 No Content\r\n\r\n'],
    ['HTTP/1.1 404 Not', ' Found\r\ncontent-length: 2\r\n', '\r\n{', '}'],
  ])
  const seen: unknown[] = []
  for (let n = 0; n < 4; n++) {
    const { status, body } = await connection.request(requestText('GET', '/'))
    seen.push([status, body])
  }
  assert.deepEqual(seen, [
    [200, 'hello'],
    [200, 'abcde'],
    [204, ''],
    [404, '{}'],
  ])
})

test('rejects if the connection closes before the response', async t => {
  const connection = await answering(t, [])
  await assert.rejects(connection.request(requestText('GET', '/')), /closed|ECONNRESET/)
})
