import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** Listens on a free port and sends the port to the parent process. Exits when the parent disconnects. */
export function listen(server: Server): void {
  server.keepAliveTimeout = 72_000
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', 4096, () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
  })
}

/** A server that reads the body of each request. */
export function createBodyServer(
  handle: (body: Buffer, response: ServerResponse, request: IncomingMessage) => void,
): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => handle(Buffer.concat(chunks), response, request))
  })
}

/** A server that stores the content of each request. It parses the JSON without validation. */
export function createPostServer(
  store: (content: string) => Promise<{ id: string; channel_id: string; content: string }>,
): Server {
  return createBodyServer((received, response, request) => {
    const { content } = JSON.parse(received.toString())
    void store(content).then(message => {
      if (!request.url?.endsWith('wait=true')) return response.writeHead(204).end()
      return respondJson(response, message)
    })
  })
}

export function respondJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(200, headers).end(body)
}
