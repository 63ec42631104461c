import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '@gatehouse/testkit/service'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApiDocument } from './openapi-document.ts'

interface Operation {
  operationId: string
  summary: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: RequestBody
  responses: Record<string, { $ref: string; content?: Record<string, unknown>; headers?: object }>
}

interface RequestBody {
  $ref?: string
  required: boolean
  content: Record<string, { schema: unknown }>
}

interface Document {
  paths: Record<string, { parameters?: object[] } & Record<string, unknown>>
  components: {
    responses: Record<
      string,
      { description: string; content?: Record<string, { schema: unknown }>; headers?: object }
    >
    parameters: Record<string, { name: string }>
    requestBodies: Record<string, RequestBody>
    schemas: Record<string, unknown>
    securitySchemes: Record<string, object>
  }
}

function isDocument(value: object): value is Document {
  return 'paths' in value && 'components' in value
}

/** `complete`: with a response for each status, which the pages and the checks of the tests use. */
async function readDocument(
  t: Parameters<typeof startService>[0],
  options?: { complete: boolean },
): Promise<Document> {
  const { routes } = await startService(t)
  const document = openApiDocument(routes, 'https://chat.example.org', options)
  assert.ok(isDocument(document))
  return document
}

function operationsOf(document: Document): Map<string, Operation> {
  const operations = Object.values(document.paths).flatMap(({ parameters: _, ...methods }) =>
    Object.values(methods as Record<string, Operation>),
  )
  return new Map(operations.map(operation => [operation.operationId, operation]))
}

function bodyOf(document: Document, { requestBody }: Operation): RequestBody | undefined {
  return requestBody?.$ref === undefined
    ? requestBody
    : document.components.requestBodies[requestBody.$ref.split('/').at(-1) ?? '']
}

/** The codes of each error status of an operation. */
function codesOf(document: Document, operation: Operation | undefined): Record<string, string | undefined> {
  const errors = Object.entries(operation?.responses ?? {}).filter(([status]) => status >= '4')
  return Object.fromEntries(
    errors.map(([status, { $ref }]) => {
      const response = document.components.responses[$ref.split('/').at(-1) ?? '']
      const [content] = Object.values(response?.content ?? {})
      return [status, /"enum":(\[[^\]]*\])/.exec(JSON.stringify(content?.schema))?.[1]?.replaceAll('"', '')]
    }),
  )
}

test('every operation has a sentence about what it does', async t => {
  for (const { operationId, summary } of operationsOf(await readDocument(t)).values()) {
    assert.match(summary, /^[A-Z].*\.$/, operationId)
  }
})

test("every operation has a short id; only Discord's API and pages and files for browsers have none", async t => {
  const { routes } = await startService(t)
  const ids = routes.flatMap(route => route.operationId ?? [])
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]{2,59}$/)
  const leftOut = new Set(routes.filter(route => route.operationId === undefined).map(({ path }) => path))
  assert.deepEqual([...leftOut].filter(path => !path.startsWith('/api/v10/')).sort(), [
    '/api/oauth2/authorize',
    '/app-icons/:id/:file',
    '/avatars/:id/:file',
    '/docs',
    '/docs/',
    '/docs/api',
    '/docs/api/:group',
    '/docs/api/:group/:operation',
    '/docs/errors',
    '/docs/examples/:file',
    '/docs/examples/alert.sh',
    '/docs/gateway',
    '/docs/gateway/:message',
    '/docs/guides',
    '/docs/guides/:guide',
    '/docs/guides/:guide/:part',
    '/docs/objects',
    '/docs/objects/:name',
    '/docs/search',
    '/docs/style.css',
    '/docs/viewer.js',
    '/embed/avatars/:file',
    '/forgot-password',
    '/icons/:id/:file',
    '/language',
    '/login',
    '/login/passkey',
    '/login/second-factor',
    '/logout',
    '/media-proxy',
    '/oauth2/consent',
    '/oauth2/done',
    '/oauth2/logout/confirm',
    '/register',
    '/reset-password',
    '/second-factor.js',
    '/verify-email',
  ])
})

test('every operation has the credentials that it accepts', async t => {
  const document = await readDocument(t)
  const operations = operationsOf(document)
  const securityOf = (id: string) => operations.get(id)?.security
  assert.deepEqual(securityOf('createServer'), [{ session: [] }])
  assert.deepEqual(securityOf('createMessage'), [{ session: [] }, { bot: [] }])
  assert.deepEqual(securityOf('getCurrentUser'), [
    { session: [] },
    { bot: [] },
    { oauth: ['identify'] },
    { openid: ['identify'] },
  ])
  assert.deepEqual(securityOf('createToken'), [{ client: [] }, {}])
  assert.deepEqual(securityOf('getHealth'), [])
  for (const { security } of operations.values()) {
    for (const name of security.flatMap(Object.keys))
      assert.ok(document.components.securitySchemes[name], name)
  }
  assert.deepEqual(document.components.securitySchemes.openid, {
    type: 'openIdConnect',
    openIdConnectUrl: 'https://chat.example.org/.well-known/openid-configuration',
    description: 'The same token, with the metadata of OpenID Connect Discovery.',
  })
})

test('an operation has only the errors that it can return, in the format of its route', async t => {
  const document = await readDocument(t, { complete: true })
  const operations = operationsOf(document)
  const errorsOf = (id: string) => codesOf(document, operations.get(id))
  assert.deepEqual(errorsOf('getHealth'), {
    431: '[headers_too_large]',
    500: '[internal_error]',
    503: '[unavailable]',
  })
  assert.deepEqual(errorsOf('listRoles'), {
    400: '[malformed_request]',
    401: '[unauthenticated]',
    403: '[credential_not_accepted]',
    404: '[not_found]',
    414: '[uri_too_long]',
    429: '[rate_limited]',
    431: '[headers_too_large]',
    500: '[internal_error]',
    503: '[unavailable]',
  })
  assert.equal(
    errorsOf('createToken')[400],
    '[invalid_request,invalid_grant,unsupported_grant_type,invalid_scope]',
  )
  assert.equal(errorsOf('executeWebhook')[400], '[0,50035,50109,50006]')
  assert.equal(errorsOf('executeSlackWebhook')[404], '[no_service]')
  for (const [id, { responses, requestBody }] of operations) {
    assert.equal(responses[405], undefined, id)
    assert.equal(responses[415] !== undefined && requestBody === undefined, false, id)
  }
})

test('errors that do not depend on the operation share one response in each format', async t => {
  const document = await readDocument(t)
  const complete = await readDocument(t, { complete: true })
  const operations = operationsOf(document)
  for (const [id, operation] of operationsOf(complete)) {
    const own = operations.get(id)
    const codes = codesOf(document, own)
    for (const [status, expected = ''] of Object.entries(codesOf(complete, operation))) {
      const range = own?.responses.default ? 'default' : `${status[0]}XX`
      const where = status in codes ? status : range
      assert.ok(where in codes, `${id}, ${status}`)
      if (status in codes) assert.equal(codes[status] ?? '', expected, id)
      for (const code of expected.slice(1, -1).split(','))
        assert.ok((codes[where] ?? '').includes(code), `${id}, ${status}`)
      const name = own?.responses[where]?.$ref?.split('/').at(-1) ?? ''
      const description = document.components.responses[name]?.description
      if (where === range) assert.match(String(description), new RegExp(`[:;] ${status}\\b`), id)
    }
  }
  const errorsOf = (id: string) => Object.keys(codesOf(document, operations.get(id)))
  assert.deepEqual(errorsOf('getHealth'), ['4XX', '5XX'])
  assert.deepEqual(errorsOf('listRoles'), ['404', 'default'])
  assert.deepEqual(errorsOf('createRole').sort(), ['403', '404', '409', 'default'])
  assert.equal(
    operations.get('executeWebhook')?.responses.default?.$ref,
    '#/components/responses/discord_errors',
  )
})

test('a 401 has a challenge, a 429 the time to wait, a redirect its target', async t => {
  const document = await readDocument(t, { complete: true })
  const headersOf = (id: string, status: number) => {
    const response = operationsOf(document).get(id)?.responses[status]
    const name = response?.$ref?.split('/').at(-1)
    return Object.keys((name === undefined ? response : document.components.responses[name])?.headers ?? {})
  }
  assert.deepEqual(headersOf('listRoles', 401), ['WWW-Authenticate'])
  assert.deepEqual(headersOf('createToken', 401), ['WWW-Authenticate'])
  assert.deepEqual(headersOf('listRoles', 429), ['Retry-After'])
  assert.deepEqual(headersOf('authorize', 303), ['Location'])
  assert.deepEqual(headersOf('logIn', 200), ['Set-Cookie'])
  assert.ok(headersOf('executeWebhook', 200).includes('X-RateLimit-Remaining'))
})

test('responses and requests have their media types', async t => {
  const operations = operationsOf(await readDocument(t, { complete: true }))
  const typesOf = (id: string) => Object.keys(operations.get(id)?.responses[200]?.content ?? {})
  assert.deepEqual(typesOf('authorize'), ['text/html'])
  assert.deepEqual(typesOf('executeSlackWebhook'), ['text/plain'])
  assert.deepEqual(typesOf('getMetrics'), ['text/plain'])
  assert.ok(typesOf('getImage').includes('image/png'))
  assert.deepEqual(typesOf('listMessages'), ['application/json'])
  const bodyTypes = (id: string) => Object.keys(operations.get(id)?.requestBody?.content ?? {})
  assert.deepEqual(bodyTypes('executeWebhook'), [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
  assert.deepEqual(bodyTypes('createToken'), ['application/x-www-form-urlencoded'])
  assert.deepEqual(bodyTypes('setAvatar'), [
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'application/octet-stream',
  ])
})

test('an object that has the members of another one and more refers to it', async t => {
  const { components } = await readDocument(t)
  const reference = { $ref: '#/components/schemas/Application' }
  const { examples: _, ...created } = components.schemas.CreatedApplication as Json
  assert.deepEqual(created, {
    allOf: [
      reference,
      {
        type: 'object',
        required: [],
        properties: {
          clientSecret: {
            type: 'string',
            description: 'The secret, which is shown only once; absent for a public application.',
          },
        },
      },
    ],
    description: 'A new application.',
  })
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ components }, 'document')
  const validate = ajv.compile({ $ref: 'document#/components/schemas/AddedPasskey' })
  const passkey = { id: '1'.repeat(18), name: 'Phone', createdAt: '2026-01-31T12:00:00Z', lastUsedAt: null }
  assert.equal(validate({ ...passkey, recoveryCodes: [] }), true)
  assert.equal(validate(passkey), false)
  assert.equal(validate({ recoveryCodes: [] }), false)
})

test('resources are named once and referred to, also where they may be absent or null', async t => {
  const { components } = await readDocument(t)
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ components }, 'document')
  const validate = ajv.compile({ $ref: 'document#/components/schemas/CallbackResponse' })
  assert.equal(validate({ message: null }), true)
  assert.equal(validate({ message: {} }), false)
  const { examples: _, ...response } = components.schemas.CallbackResponse as Json
  assert.deepEqual(response, {
    type: 'object',
    required: ['message'],
    properties: {
      message: {
        anyOf: [{ $ref: '#/components/schemas/Message' }, { type: 'null' }],
        description: 'The created or edited message; null for deferred_update, autocomplete and modal.',
      },
    },
    description: 'The response was accepted.',
  })
})

/** Calls `visit` with each schema of the request bodies, and with the name of the component that contains it. */
function visitRequests(document: Document, visit: (schema: Json, where: string) => void): void {
  const seen = new Set<string>()
  function walk(value: unknown, where: string): void {
    if (!isJson(value)) {
      if (Array.isArray(value)) for (const item of value) walk(item, where)
      return
    }
    if (typeof value.$ref === 'string') {
      const name = value.$ref.split('/').at(-1) ?? ''
      if (seen.has(name)) return
      seen.add(name)
      walk(document.components.schemas[name], name)
      return
    }
    if (typeof value.type === 'string' || Array.isArray(value.type)) visit(value, where)
    for (const [key, part] of Object.entries(value))
      if (key !== 'enum' && key !== 'examples') walk(part, where)
  }
  for (const operation of operationsOf(document).values()) {
    for (const { schema } of Object.values(bodyOf(document, operation)?.content ?? {}))
      walk(schema, operation.operationId)
  }
}

type Json = Readonly<Record<string, unknown>>

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

test('every string and list of a request has a limit, and every member a schema', async t => {
  const document = await readDocument(t)
  const findings: string[] = []
  let count = 0
  visitRequests(document, (schema, where) => {
    count++
    const types = [schema.type].flat()
    const has = (...names: string[]) => names.some(name => name in schema)
    // The bytes of an image, a Base64 of JSON or a time have limits of their own.
    const isLimited = has('maxLength', 'enum', 'pattern', 'contentSchema') || schema.format === 'binary'
    if (types.includes('string') && !isLimited) findings.push(`${where}: ${JSON.stringify(schema)}`)
    if (types.includes('array') && !has('maxItems')) findings.push(`${where}: ${JSON.stringify(schema)}`)
    for (const [name, member] of Object.entries(isJson(schema.properties) ? schema.properties : {})) {
      const known = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum']
      if (!isJson(member) || !known.some(keyword => keyword in member)) findings.push(`${where}.${name}`)
    }
  })
  assert.deepEqual(findings, [])
  assert.ok(count > 200, `${count} schemas`)
})

test('members that the service checks itself have the schema of what it accepts', async t => {
  const { components } = await readDocument(t)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ components }, 'document')
  const accepts = (name: string, value: unknown) =>
    ajv.compile({ $ref: `document#/components/schemas/${name}` })(value)
  assert.equal(accepts('CreateMessageBody', { embeds: [{ title: 'x', other: 1 }], components: null }), true)
  assert.equal(accepts('CreateMessageBody', { embeds: 'garbage' }), false)
  assert.equal(accepts('CreateMessageBody', { embeds: [{ title: 'x'.repeat(257) }] }), false)
  assert.equal(accepts('WebhookMessageBody', { content: 'x', avatar_url: null, tts: true }), true)
  assert.equal(accepts('WebhookMessageBody', { embeds: [{ fields: [{ name: 1, value: '' }] }] }), false)
  const embed = (member: object) => accepts('WebhookMessageBody', { embeds: [{ title: 'x', ...member }] })
  assert.equal(embed({ timestamp: '2026-01-31', color: '255' }), true)
  assert.equal(embed({ timestamp: 'yesterday' }), false)
  assert.equal(embed({ color: '-1' }), false)
  assert.equal(accepts('WebhookUpdate', { name: null }), true)
  assert.equal(accepts('CommandsInput', [{ name: 'счёт-1', description: 'x' }]), true)
  assert.equal(accepts('CommandsInput', [{ name: 'Roll', description: 'x' }]), false)
  assert.equal(accepts('TokenRequestParameters', { grant_type: 'refresh_token', refresh_token: 'x' }), true)
  assert.equal(accepts('TokenRequestParameters', { grant_type: 5 }), false)
  assert.equal(accepts('RevocationParameters', {}), true)
  assert.equal(accepts('CallbackBody', { type: 'message', data: { content: 'x' } }), true)
  assert.equal(accepts('CallbackBody', { type: 5 }), true)
  assert.equal(accepts('CallbackBody', { type: 8 }), false)
  const use = { type: 'component', channelId: '1'.repeat(18), messageId: '1'.repeat(18) }
  assert.equal(accepts('RunInteractionBody', { ...use, customId: 'x' }), true)
  assert.equal(accepts('RunInteractionBody', use), false)
  const row = (button: object) => ({
    components: [{ type: 'row', components: [{ type: 'button', ...button }] }],
  })
  assert.equal(
    accepts('CreateMessageBody', row({ style: 'link', label: 'x', url: 'https://a.example' })),
    true,
  )
  assert.equal(accepts('CreateMessageBody', row({ style: 'link', label: 'x', customId: 'y' })), false)
})

test('every schema of the document is a valid JSON Schema', async t => {
  const { components } = await readDocument(t)
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ components }, 'document')
  for (const [name, schema] of Object.entries(components.schemas)) {
    assert.ok(typeof schema === 'object' && schema !== null && ajv.validateSchema(schema), name)
    assert.doesNotThrow(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name)
  }
  assert.ok(Object.keys(components.schemas).length > 100)
})

/** The members of the schemas, and the parameters of the operations, with where they are. */
function listMembers(document: Document): { where: string; member: Json }[] {
  const found: { where: string; member: Json }[] = []
  function walk(value: unknown, where: string): void {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${where}/${index}`)
    if (!isJson(value)) return
    for (const [key, part] of Object.entries(value)) {
      if (key === 'examples' || key === 'example' || key === 'enum') continue
      // The codes that an operation returns, beside the schema of the error.
      if (key === 'properties' && isJson(part) && !where.startsWith('/components/responses')) {
        for (const [name, member] of Object.entries(part))
          if (isJson(member)) found.push({ where: `${where}.${name}`, member })
      }
      if (key === 'parameters' && Array.isArray(part))
        found.push(...part.filter(isJson).map(member => ({ where: `${where} ${member.name}`, member })))
      walk(part, `${where}/${key}`)
    }
  }
  walk(document, '')
  return found
}

test('every member and parameter has a sentence about what it is', async t => {
  const document = await readDocument(t)
  const targetOf = ({ $ref }: Json) =>
    String($ref)
      .split('/')
      .slice(1)
      .reduce<unknown>((part, name) => (isJson(part) ? part[name] : undefined), document)
  // Their descriptions are about the form of every id, not about one member.
  const forms = ['Id', 'Timestamp', 'PermissionSet'].map(name => document.components.schemas[name])
  const generic = new Set(forms.map(schema => isJson(schema) && schema.description))
  function describe(member: Json): unknown {
    const target = targetOf(member)
    return member.description ?? (isJson(target) ? target.description : undefined)
  }
  const members = listMembers(document)
  const missing = members.filter(({ member }) => {
    const description = describe(member)
    return typeof description !== 'string' || !/^\S.{5,}\.$/s.test(description) || generic.has(description)
  })
  assert.deepEqual(
    missing.map(({ where, member }) => `${where}: ${describe(member)}`),
    [],
  )
  assert.ok(members.length > 700, `${members.length} members`)
})

test('names are shorter than 60 characters, and no list of values mixes numbers and strings', async t => {
  const document = await readDocument(t)
  for (const [kind, parts] of Object.entries(document.components))
    for (const name of Object.keys(parts)) assert.match(name, /^[\w-]{1,59}$/, kind)
  function walk(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    if ('enum' in value && Array.isArray(value.enum)) {
      const types = new Set(value.enum.filter(item => item !== null).map(item => typeof item))
      assert.equal(types.size, 1, JSON.stringify(value))
    }
    for (const part of Object.values(value)) walk(part)
  }
  walk(document)
})

/** Two names that are equal in PascalCase, camelCase or snake_case. */
function findEqualNames(names: readonly string[]): string[] {
  const groups = Map.groupBy(names, name => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase())
  return [...groups.values()].filter(group => group.length > 1).map(group => group.join(', '))
}

test('generators for other languages can name everything: no two names differ only in case or separators', async t => {
  const document = await readDocument(t)
  const findings: string[] = []
  const check = (where: string, names: readonly string[]) =>
    findings.push(...findEqualNames(names).map(found => `${where}: ${found}`))
  const { components } = document
  // Generators for Go declare the types of all components in one package.
  const { schemas, responses, parameters, requestBodies } = components
  check('components', [schemas, responses, parameters, requestBodies].flatMap(Object.keys))
  check('operations', [...operationsOf(document).keys()])
  for (const [path, { parameters: shared = [], ...methods }] of Object.entries(document.paths)) {
    const target = ({ $ref, name }: { $ref?: string; name?: string }) =>
      $ref === undefined ? String(name) : String(components.parameters[$ref.split('/').at(-1) ?? '']?.name)
    for (const { operationId, parameters = [] } of Object.values(methods as Record<string, Operation>))
      check(`${path} ${operationId}`, [...shared, ...parameters].map(target))
  }
  let members = 0
  function walk(value: unknown, where: string): void {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${where}/${index}`)
    if (!isJson(value)) return
    for (const [key, part] of Object.entries(value)) {
      if (key === 'example' || key === 'examples') continue
      if (key === 'properties' && isJson(part)) {
        members += Object.keys(part).length
        check(where, Object.keys(part))
      }
      if (key === 'enum' && Array.isArray(part))
        check(
          where,
          part.filter(item => typeof item === 'string'),
        )
      walk(part, `${where}/${key}`)
    }
  }
  walk(document, '')
  assert.deepEqual(findings, [])
  assert.ok(members > 700, `${members} members`)
})

test('every request has a media type that generators know', async t => {
  const known = ['application/json', 'application/x-www-form-urlencoded', 'application/octet-stream']
  let bodies = 0
  const document = await readDocument(t)
  for (const [id, operation] of operationsOf(document)) {
    const body = bodyOf(document, operation)
    if (!body) continue
    bodies++
    assert.ok(
      known.some(type => type in body.content),
      id,
    )
  }
  assert.ok(bodies > 50, `${bodies} bodies`)
})

test('no citation of the specification is in the document', async t => {
  assert.doesNotMatch(JSON.stringify(await readDocument(t)), /\([a-z-]+\/[a-z-]+\)/)
})

test('/api/openapi.json is small, compressed, and not sent again if it has not changed', async t => {
  const service = await startService(t)
  const get = (headers: Record<string, string>) => fetch(`${service.url}/api/openapi.json`, { headers })
  const plain = await get({ 'accept-encoding': 'identity' })
  const bytes = new Uint8Array(await plain.arrayBuffer())
  assert.ok(bytes.length < 350_000, `${bytes.length} bytes`)
  assert.equal(plain.headers.get('content-encoding'), null)
  for (const encoding of ['gzip', 'br']) {
    const reply = await get({ 'accept-encoding': encoding })
    assert.equal(reply.headers.get('content-encoding'), encoding)
    assert.equal(reply.headers.get('vary'), 'Accept-Encoding')
    assert.deepEqual(new Uint8Array(await reply.arrayBuffer()), bytes)
    const etag = reply.headers.get('etag') ?? ''
    const again = await get({ 'accept-encoding': encoding, 'if-none-match': `"x", W/${etag}` })
    assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, etag, ''])
  }
  const refused = await get({ 'accept-encoding': 'br;q=0, gzip;q=0.5' })
  assert.equal(refused.headers.get('content-encoding'), 'gzip')
})

test('members that choose between objects have a discriminator, and addresses the format `uri`', async t => {
  const { components } = await readDocument(t)
  const { CommandOption, EventOption, Component, RunInteractionBody, NamedCallback } = components.schemas
  for (const schema of [CommandOption, EventOption, Component, RunInteractionBody, NamedCallback]) {
    assert.ok(isJson(schema) && Array.isArray(schema.oneOf), JSON.stringify(schema))
    assert.equal(isJson(schema.discriminator) && schema.discriminator.propertyName, 'type')
    // Generators read the type of the member without following references.
    for (const { $ref } of schema.oneOf) {
      const variant = components.schemas[String($ref).split('/').at(-1) ?? '']
      assert.match(JSON.stringify(variant), /"type":\{"type":"string","enum":/, $ref)
    }
  }
  const findings = listMembers(await readDocument(t)).filter(({ where, member }) => {
    // Slack accepts any text and ignores what is no URL. Avatars and icons may be paths.
    if (typeof member.$ref === 'string' || !/\.\w*(url|uri|endpoint)$/i.test(where) || member.enum)
      return false
    const choices = Array.isArray(member.anyOf) ? member.anyOf : [member]
    return !choices.some(choice => isJson(choice) && choice.format === 'uri')
  })
  assert.deepEqual(
    findings.map(({ where }) => where),
    [],
  )
})
