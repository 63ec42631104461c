import assert from 'node:assert/strict'
import { apiCheckOf } from '@gatehouse/testkit/api-document'
import { authorizationPath, createFixture, type Fixture } from '@gatehouse/testkit/fixture'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import { documentedRequest, type HttpRequest, listKnownValues } from '../faults/requests.ts'
import { listOperations } from './generate.ts'
import { countStatuses, eachSeed } from './run.ts'

/** Requests of each operation. */
const runs = 4

async function readToken(service: TestService, { user, application }: Fixture): Promise<string> {
  const page = await user.client.get(authorizationPath(application, 'identify'))
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const reply = await service.client().form('/api/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    client_id: application.id,
    client_secret: application.secret,
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.access_token
}

const statuses = countStatuses()

eachService(
  'the service answers every request as the API document says',
  async (t, service) => {
    const fixture = await createFixture(service)
    const document = JSON.parse((await service.client().get('/api/openapi.json')).text)
    const known = listKnownValues(fixture)
    known.credentials.push({ authorization: `Bearer ${await readToken(service, fixture)}` })
    const { findOperation } = apiCheckOf(service.routes)

    async function send({ method, path, headers, body }: HttpRequest): Promise<void> {
      // A new client, because the request has its own cookie. It checks the response.
      const { status, text } = await service.client().send(path, { method, headers, body })
      assert.ok(status < 500, `${status} ${text}`)
      const [pathname = ''] = path.split('?', 1)
      assert.ok(findOperation(method, pathname), 'the API document does not have the operation')
    }

    /** Some operations end the session. */
    async function renewSession(): Promise<void> {
      const client = service.client()
      const { email: login, password } = fixture.user
      const reply = await client.json('POST', '/api/auth/login', { login, password })
      assert.equal(reply.status, 200, reply.text)
      for (const credential of known.credentials) {
        if ('cookie' in credential) credential.cookie = client.cookieHeader()
      }
    }

    const findings: string[] = []
    await eachSeed(t, async seed => {
      for (const operation of listOperations(document)) {
        await renewSession()
        const requests = fc.sample(documentedRequest(operation, known), { seed, numRuns: runs })
        for (const request of requests) {
          await send(request).catch(error => {
            const sent = JSON.stringify(request).slice(0, 400)
            findings.push(
              `API_REQUEST_SEED=${seed} ${operation.method} ${operation.path}: ${error.message} ${sent}`,
            )
          })
        }
      }
    })
    statuses.report(t)
    assert.deepEqual(findings, [])
    for (const status of [200, 201, 204, 400, 401, 403, 404])
      assert.ok(statuses.of(status) > 0, `no response is ${status}`)
  },
  { onExchange: statuses.onExchange, env: { RATE_LIMITS: 'off' } },
)
