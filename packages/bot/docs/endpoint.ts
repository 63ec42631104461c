import { createServer, type Server } from 'node:http'
import type { Bot } from '@gatehouse/bot'

/** For Node.js. Deno and Bun need no adapter: `Deno.serve(request => bot.fetch(request))`. */
export function createEndpointServer(bot: Bot): Server {
  return createServer(async (incoming, outgoing) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = new Request('http://localhost/', { method: 'POST', headers, body: Buffer.concat(chunks) })
    const response = await bot.fetch(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
}
