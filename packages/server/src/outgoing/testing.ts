import { generateKeyPairSync, sign } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Closed with all of its connections when the test ends. */
interface TestServer {
  port: number
  /** The number of connections accepted so far. */
  connections(): number
}

/** Starts an HTTP server on 127.0.0.1, or an HTTPS server if there is a certificate. */
export function serve(
  t: TestContext,
  listener: RequestListener,
  certificate?: Certificate,
): Promise<TestServer> {
  return listen(t, certificate ? createSecureServer(certificate, listener) : createServer(listener))
}

/** Starts a TCP server on 127.0.0.1. */
export function serveSocket(t: TestContext, listener: (socket: Socket) => void): Promise<TestServer> {
  return listen(
    t,
    createSocketServer(socket => {
      socket.on('error', () => undefined)
      listener(socket)
    }),
  )
}

async function listen(t: TestContext, server: Server): Promise<TestServer> {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { port: address.port, connections: () => connections }
}

interface Certificate {
  cert: string
  key: string
}

/** Creates a self-signed certificate for a host name that does not expire (RFC 5280 section 4.1, RFC 8410). */
export function createCertificate(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(0x30, der(0x06, [0x2b, 0x65, 0x70]))
  const commonName = der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))
  const subject = der(0x30, der(0x31, commonName))
  const time = (text: string) => der(0x18, Buffer.from(text))
  const alternative = der(0x04, der(0x30, der(0x82, Buffer.from(name))))
  const extension = der(0x30, der(0x06, [0x55, 0x1d, 0x11]), alternative)
  const content = der(
    0x30,
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    subject,
    der(0x30, time('20000101000000Z'), time('99991231235959Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  )
  const signature = der(0x03, [0], sign(null, content, privateKey))
  const base64 = der(0x30, content, algorithm, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** DER encoding of one value: tag, length, contents (X.690 section 8.1). */
function der(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map(part => Buffer.from(part)))
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}
