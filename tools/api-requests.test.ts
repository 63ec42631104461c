import assert from 'node:assert/strict'
import { authorizationPath, createFixture, type Fixture } from '@gatehouse/testkit/fixture'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { documentedRequest, type HttpRequest, listKnownValues, readOperations } from './faults/requests.ts'

/** Requests of each operation. The seed changes with it. */
const runs = Number(process.env.API_REQUEST_RUNS ?? 12)

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { responses: Record<string, Response> }
}

interface Response {
  $ref?: string
  content?: Record<string, { schema: object }>
}

function createCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  const validators = new Map<object, ValidateFunction>()

  function validatorOf(schema: object): ValidateFunction {
    const validate = validators.get(schema) ?? ajv.compile(absolute(schema))
    validators.set(schema, validate)
    return validate
  }

  /** Throws if the document does not have this response. */
  return (method: string, path: string, reply: { status: number; type: string; text: string }): void => {
    const declared = document.paths[path]?.[method.toLowerCase()]?.responses[reply.status]
    const name = declared?.$ref?.split('/').at(-1)
    const response = name === undefined ? declared : document.components.responses[name]
    assert.ok(response, `the status ${reply.status} is not documented: ${reply.text}`)
    const { content } = response
    if (content === undefined) {
      assert.equal(reply.text, '')
      return
    }
    const [type = ''] = reply.type.split(';', 1)
    const media = content[type]
    assert.ok(media, `the type ${type} is not documented`)
    if (type.startsWith('image/')) return
    const validate = validatorOf(media.schema)
    const body = type === 'application/json' ? JSON.parse(reply.text) : reply.text
    assert.ok(validate(body), `${ajv.errorsText(validate.errors)}: ${reply.text}`)
  }
}

/** The references of a part of the document, from outside of it. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'))
}

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

eachService(
  'the service answers every request as the API document says',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const document: Document = JSON.parse((await service.client().get('/api/openapi.json')).text)
    const known = listKnownValues(fixture)
    known.credentials.push({ authorization: `Bearer ${await readToken(service, fixture)}` })
    const check = createCheck(document)
    const statuses = new Map<number, number>()

    async function send(path: string, request: HttpRequest): Promise<void> {
      const { method, headers, body } = request
      const url = `${service.url}${request.path}`
      const response = await fetch(url, { method, headers, body, redirect: 'manual' })
      const reply = {
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        text: await response.text(),
      }
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      check(method, path, reply)
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
    for (const operation of readOperations(document)) {
      await renewSession()
      const requests = fc.sample(documentedRequest(operation, known), { seed: runs, numRuns: runs })
      for (const request of requests) {
        await send(operation.path, request).catch(error => {
          findings.push(
            `${operation.method} ${operation.path}: ${error.message} ${JSON.stringify(request).slice(0, 400)}`,
          )
        })
      }
    }
    assert.deepEqual(findings, [])
    for (const status of [200, 201, 204, 400, 401, 403, 404])
      assert.ok(statuses.get(status), `no response is ${status}`)
  },
  { env: { RATE_LIMITS: 'off' } },
)
