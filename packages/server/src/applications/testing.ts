import { createPublicKey, verify } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { serve } from '../outgoing/testing.ts'

/** A bot's interactions endpoint on 127.0.0.1, which answers pings as it must. */
export interface TestEndpoint {
  url: string
  /** Of the application that it believes: 64 hex characters. */
  publicKey: string
  /** The bodies that were rightly signed, as they came; pings too. */
  received: string[]
  /** How many were not. */
  refused: number
  /** How it answers an event; 202 where it does not say. */
  answer: (event: InteractionCreate, response: ServerResponse) => void
}

export async function serveEndpoint(t: TestContext): Promise<TestEndpoint> {
  const { port } = await serve(t, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (!isSigned(endpoint.publicKey, request.headers, body)) {
      endpoint.refused++
      response.writeHead(401).end()
      return
    }
    endpoint.received.push(body)
    const event = JSON.parse(body)
    if (event.type === 'ping') response.end('{"type":"pong"}')
    else endpoint.answer(event, response)
  })
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${port}/interactions`,
    publicKey: '',
    received: [],
    refused: 0,
    answer: (_, response) => response.writeHead(202).end(),
  }
  return endpoint
}

/** D51, as the other side does it. */
export function isSigned(publicKey: string, headers: IncomingHttpHeaders, body: string): boolean {
  const signature = String(headers['x-signature-ed25519'])
  const timestamp = String(headers['x-signature-timestamp'])
  if (!/^[0-9a-f]{128}$/.test(signature) || !/^\d{10}$/.test(timestamp)) return false
  // RFC 8410 §4: what stands before the key in a SubjectPublicKeyInfo.
  const spki = Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex')
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  return verify(null, Buffer.from(timestamp + body), key, Buffer.from(signature, 'hex'))
}
