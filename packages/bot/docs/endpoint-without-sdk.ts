import { createPublicKey, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'

/** `publicKey` is the Ed25519 key that the developer console shows, 64 hex characters. */
export function createEndpointWithoutSdk(publicKey: string): Server {
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [Buffer.from(String(request.headers['x-signature-timestamp']))]
    for await (const chunk of request) chunks.push(chunk)
    const signature = Buffer.from(String(request.headers['x-signature-ed25519']), 'hex')
    if (!verify(null, Buffer.concat(chunks), key, signature)) return response.writeHead(401).end()
    const event = JSON.parse(Buffer.concat(chunks.slice(1)).toString())
    if (event.type === 'ping') return response.end('{"type":"pong"}')
    const content = `Hello <@${event.user.id}>!`
    response.end(JSON.stringify({ type: 'message', data: { content } }))
  })
}
