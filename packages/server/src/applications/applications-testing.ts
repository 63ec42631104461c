import { createPublicKey, verify } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { listenHttp } from '@gatehouse/testkit/listen'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import { allow, redirectUri, signUp, type TestApplication } from '../oauth/oauth-testing.ts'

/** An interactions endpoint on 127.0.0.1 that responds to pings correctly. */
export interface TestEndpoint {
  url: string
  /** The public key that it verifies signatures with: 64 hex characters. */
  publicKey: string
  /** The bodies with a valid signature, including pings. */
  received: string[]
  /** The number of requests with an invalid signature. */
  rejected: number
  /** Responds to an event; with 202 by default. */
  respond: (event: InteractionCreate, response: ServerResponse) => void
}

export async function serveEndpoint(t: TestContext): Promise<TestEndpoint> {
  const { port } = await listenHttp(t, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (!isSigned(endpoint.publicKey, request.headers, body)) {
      endpoint.rejected++
      response.writeHead(401).end()
      return
    }
    endpoint.received.push(body)
    const event = JSON.parse(body)
    if (event.type === 'ping') response.end('{"type":"pong"}')
    else if (event.type === 1) response.end('{"type":1}')
    else endpoint.respond(event, response)
  })
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${port}/interactions`,
    publicKey: '',
    received: [],
    rejected: 0,
    respond: (_, response) => response.writeHead(202).end(),
  }
  return endpoint
}

/** Verifies a request signature as an endpoint does (bots/endpoint-signature). */
export function isSigned(publicKey: string, headers: IncomingHttpHeaders, body: string): boolean {
  const signature = String(headers['x-signature-ed25519'])
  const timestamp = String(headers['x-signature-timestamp'])
  if (!/^[0-9a-f]{128}$/.test(signature) || !/^\d{10}$/.test(timestamp)) return false
  // RFC 8410 §4: the prefix of the key in a SubjectPublicKeyInfo.
  const spki = Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex')
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  return verify(null, Buffer.from(timestamp + body), key, Buffer.from(signature, 'hex'))
}

/**
 * A server of `owner` with `member`, an application of `owner` whose bot is on no server, and a user without either.
 */
export interface ApplicationFixture {
  owner: TestUser
  member: TestUser
  outsider: TestUser
  serverId: string
  channelId: string
  application: TestApplication
  path: string
  botId: string
  /** Sends a request with the bot token. */
  bot(method: string, path: string, body?: unknown): Promise<TestResponse>
  /** Adds the application to the server with the consent page. */
  install(scope: string, permissions?: bigint): Promise<void>
}

export async function createFixture(service: TestService): Promise<ApplicationFixture> {
  const [owner, member, outsider] = [
    await signUp(service, 'owner'),
    await signUp(service, 'member'),
    await signUp(service, 'outsider'),
  ]
  const { server, general } = await createServer(owner, member)
  const fields = { name: 'Dice', redirectUris: [redirectUri] }
  const { applicationId, clientSecret, botId, token } = await createBotApplication(owner.client, fields, {
    username: 'dice',
  })
  const headers = { authorization: `Bot ${token}` }
  const application = { id: applicationId, secret: clientSecret, redirectUri }
  return {
    owner,
    member,
    outsider,
    serverId: server.id,
    channelId: general.id,
    application,
    path: `/api/applications/${applicationId}`,
    botId,
    bot: (method, path, body) => service.client().json(method, path, body, headers),
    async install(scope, permissions = 0n) {
      await allow(owner, application, { scope, permissions: String(permissions) }, { server_id: server.id })
    },
  }
}
