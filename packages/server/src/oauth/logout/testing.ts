import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { TestService } from '../../testing.ts'

/** An application's end of the back channel, on 127.0.0.1. */
export interface Ear {
  uri: string
  /** The bodies as they came. */
  heard: { type: string | undefined; body: string }[]
  /** What it answers; 200 unless said. */
  status: number
  /** Resolves when it has heard `count` in all. */
  until(count: number): Promise<void>
}

export async function openEar(t: TestContext): Promise<Ear> {
  const waiting: { count: number; resolve: () => void }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    ear.heard.push({ type: request.headers['content-type'], body })
    response.writeHead(ear.status).end()
    for (const { count, resolve } of waiting) if (ear.heard.length >= count) resolve()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const ear: Ear = {
    uri: `http://127.0.0.1:${address.port}/signed-out`,
    heard: [],
    status: 200,
    until: count =>
      ear.heard.length >= count
        ? Promise.resolve()
        : new Promise(resolve => {
            waiting.push({ count, resolve })
          }),
  }
  return ear
}

/** Judges a logout_token as an application does (Back-Channel Logout §2.6). */
export async function readLogoutToken(
  service: TestService,
  body: string | undefined,
  audience: string,
): Promise<JWTPayload> {
  const token = new URLSearchParams(body).get('logout_token') ?? ''
  const keys = createRemoteJWKSet(new URL(`${service.url}/api/oauth2/keys`))
  const { payload } = await jwtVerify(token, keys, {
    issuer: service.url,
    audience,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    currentDate: new Date(service.clock.now()),
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  })
  return payload
}
