import type { Fixture } from '@gatehouse/testkit/fixture'
import type { Route } from '@gatehouse/testkit/routes'
import fc, { type Arbitrary } from 'fast-check'
import type { Dispatcher } from 'undici'

/** JSON that is not validated. */
type Json = ReturnType<typeof JSON.parse>
type Method = Dispatcher.HttpMethod

interface Operation {
  method: string
  path: string
  /** Those of OpenAPI. Schemas have no references. */
  parameters: { in: string; name: string; schema: Json }[]
  /** The media types of the body. Images have no schema. */
  bodies: { type: string; schema?: Json }[]
}

export interface HttpRequest {
  method: Method
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Existing ids, and the parameters and credentials that requests use. */
interface KnownValues {
  ids: string[]
  parameters: Record<string, string>
  credentials: Record<string, string>[]
}

const unknownIds = ['1', '1000000000000000000', '@me', 'x']

export function listKnownValues(fixture: Fixture): KnownValues {
  const { user, serverId, channelId, application, bot, cookie, webhookPath } = fixture
  const [, , , webhookId = '', token = ''] = webhookPath.split('/')
  const basic = Buffer.from(`${application.id}:${application.secret}`).toString('base64')
  const others = [`Bot ${bot.token}`, `Basic ${basic}`, 'Bearer gat_nothing']
  return {
    ids: [channelId, serverId, user.id, application.id, bot.commandId, webhookId, ...unknownIds],
    parameters: { channelId, serverId, userId: user.id, applicationId: application.id, webhookId, token },
    credentials: [
      // Three times because most endpoints need a user session.
      ...Array(3).fill({ cookie, 'sec-fetch-site': 'same-origin' }),
      ...others.map(authorization => ({ authorization })),
      {},
    ],
  }
}

/** Replaces references (RFC 6901) to other parts of the document. No schema contains itself. */
function resolveReferences(value: Json, document: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => resolveReferences(item, document))
  const names = typeof value.$ref === 'string' ? value.$ref.split('/').slice(1) : undefined
  if (names)
    return resolveReferences(
      names.reduce((node: Json, name: string) => node[name], document),
      document,
    )
  const members = Object.entries(value).map(([name, member]) => [name, resolveReferences(member, document)])
  return Object.fromEntries(members)
}

/** Lists the operations of an OpenAPI document. */
export function listOperations(document: Json): Operation[] {
  const paths = Object.entries<Json>(resolveReferences(document, document).paths)
  return paths.flatMap(([path, { parameters: inPath = [], ...operations }]) =>
    Object.entries<Json>(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: [...inPath, ...parameters],
      bodies: Object.entries<Json>(requestBody?.content ?? {}).map(([type, media]) => ({ type, ...media })),
    })),
  )
}

const formFields = ['login', 'username', 'email', 'password', 'code', 'token', 'decision', 'return_to']
const form = {
  type: 'application/x-www-form-urlencoded',
  schema: { type: 'object', properties: Object.fromEntries(formFields.map(name => [name, {}])) },
}

/** Lists the pages and their forms, which the OpenAPI document leaves out. */
export function listPages(routes: readonly Pick<Route, 'method' | 'path' | 'operationId'>[]): Operation[] {
  return routes
    .filter(({ path, operationId }) => operationId === undefined && !/^\/api\/|:/.test(path))
    .map(({ method, path }) => ({ method, path, parameters: [], bodies: method === 'POST' ? [form] : [] }))
}

const oneOf = (list: string) => fc.constantFrom(...list.split('|'))
const invalidObjects: unknown[] = [
  { constructor: { prototype: 1 } },
  { length: -1, toString: 1 },
  [[[[[[]]]]]],
]
const invalidValue: Arbitrary<unknown> = fc.oneof(
  oneOf(' |\u0000|\ud800|\u202e\u200b\ufeff|../../etc/passwd|-1|%|%00'),
  oneOf("' OR 1=1 --|{{7*7}}<%= 7 %>|javascript:alert(1)|http://[::1|https://a:b@c/#f"),
  fc.constantFrom('a'.repeat(5000), '😀'.repeat(300), '9'.repeat(30)),
  fc.constantFrom(...invalidObjects, 2 ** 53, 1e21),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
)
const unknownMember = fc.tuple(oneOf('__proto__|constructor|extra|'), invalidValue)
const invalidSegment = fc.oneof(
  oneOf('%00|%2e%2e|%ff|%|..|%20|%F0%9F%98%80|@me|-1|1e9|{}|%2f'),
  fc.constant('a'.repeat(600)),
  fc.string().map(encodeURIComponent),
)
const invalidQuery = oneOf('?a[b]=1|?limit=%25|?limit=%ED%A0%80|?__proto__=1|?limit=-1')
const invalidBody = fc.option(oneOf('| {|[|null|{"a":|\u00ff\u00fe|"|a=%|a=%ED%A0%80|--x\r\n'))
const mediaType = oneOf(
  'application/json|application/x-www-form-urlencoded|multipart/form-data; boundary=x|' +
    'multipart/form-data|text/plain|image/png|application/json; charset=utf-16',
)
const invalidHeader = oneOf(
  `authorization: Bearer|authorization: Basic ${'='.repeat(50)}|authorization: Bot gbt_\u00ff|` +
    'cookie: gatehouse_session=%; gatehouse_session=;;=|content-encoding: gzip|content-type: |' +
    'accept: text/html;q=x,*/*;q=\u00e9|x-forwarded-for: 999.1.1.1, ::|origin: null|sec-fetch-site: cross-site|' +
    'accept-encoding: br;q=0, *|range: bytes=5-1|if-none-match: *|host: evil.example:99999|x-github-event: push',
).map(line => Object.fromEntries([line.split(': ')]))

/**
 * Operations that delete or revoke data that the other requests need. They get ids that do not exist. Other tests cover
 * their success.
 */
const destructive =
  /^(DELETE .*|POST \/api\/applications\/\{[^}]+\}\/(secret|bot\/token)|POST .*\/(logout|token)|PUT .*\/roles\/.*)$/

/** Operations that end or replace the session of the other requests. They get no session. */
const endsSession = /^(POST .*\/(register|logout(\/confirm)?)|DELETE .*\/sessions)$/

/** Requests that are valid for the schemas of the operation, with random invalid parts. */
export function requestArbitrary(operation: Operation, known: KnownValues): Arbitrary<HttpRequest> {
  const otherMethod = fc.constantFrom<Method>('PUT', 'OPTIONS', 'HEAD', 'TRACE', 'DELETE')
  const other = otherMethod.chain(method => withMethod({ ...operation, method }, known))
  return sometimes(2, other, withMethod(operation, known))
}

function withMethod(operation: Operation, known: KnownValues): Arbitrary<HttpRequest> {
  const { method, path, parameters, bodies } = operation
  const [{ type: documentedType = 'application/json', schema = {} } = {}] = bodies
  const name = `${method} ${path}`
  const values = destructive.test(name) ? { ...known, parameters: {}, ids: unknownIds } : known
  const credentials = endsSession.test(name)
    ? known.credentials.filter(({ cookie }) => cookie === undefined)
    : known.credentials
  const query = parameters.filter(parameter => parameter.in === 'query')
  const pairs = recordOf(query.map(({ name, schema }) => [name, valueArbitrary(schema, values)]))
  const type = sometimes(5, mediaType, fc.constant(documentedType))
  const content = fc.tuple(type, valueArbitrary(schema, values)).chain(([type, value]) => {
    const text = serialize(type, value)
    const bytes = sometimes(2, invalidBody, sometimes(3, corrupt(text), fc.constant(text)))
    return fc.record({ headers: fc.constant({ 'content-type': type }), body: bytes })
  })
  return fc
    .record({
      path: pathArbitrary(path, values),
      query: sometimes(
        3,
        invalidQuery,
        pairs.map(pairs => formEncode(pairs).replace(/^(?=.)/, '?')),
      ),
      credential: fc.constantFrom(...credentials),
      header: sometimes(3, invalidHeader, fc.constant({})),
      content: ['GET', 'HEAD', 'TRACE'].includes(method) ? fc.constant({ headers: {}, body: null }) : content,
    })
    .map(({ path, query, credential, header, content: { headers, body } }) => ({
      method: method as Method,
      path: path + query,
      headers: { ...credential, ...headers, ...header },
      body,
    }))
}

/** `rare` with the given percentage. */
function sometimes<T>(percent: number, rare: Arbitrary<T>, usual: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ weight: 100 - percent, arbitrary: usual }, { weight: percent, arbitrary: rare })
}

function pathArbitrary(path: string, { parameters, ids }: KnownValues): Arbitrary<string> {
  const segments = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    // The parameter `{id}` after `servers` is the `serverId`.
    const known = parameters[segment.slice(1, -1)] ?? parameters[`${all[index - 1]?.replace(/s$/, '')}Id`]
    const id = fc.constantFrom(...ids)
    return sometimes(3, invalidSegment, known === undefined ? id : sometimes(40, id, fc.constant(known)))
  })
  return fc.tuple(...segments).map(parts => parts.join('/'))
}

/** Objects with the required members and some of the others. */
function recordOf(members: readonly (readonly [string, Arbitrary<unknown>])[], required: string[] = []) {
  const requiredKeys = required.filter(name => members.some(([member]) => member === name))
  return fc.record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys })
}

function valueArbitrary(schema: Json, values: KnownValues): Arbitrary<unknown> {
  return sometimes(6, invalidValue, validArbitrary(schema, values))
}

function validArbitrary(schema: Json, values: KnownValues): Arbitrary<unknown> {
  const { type, minimum = 0, maximum = minimum, maxLength = Infinity } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return fc.oneof(...variants.map((variant: Json) => valueArbitrary(variant, values)))
  if (Array.isArray(type))
    return fc.oneof(...type.map(one => validArbitrary({ ...schema, type: one }, values)))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer({ min: minimum, max: minimum + 100 }), fc.constant(maximum))
  if (type === 'array') return fc.array(valueArbitrary(schema.items ?? {}, values), { maxLength: 2 })
  if (type === 'object') {
    const members = Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => {
      const value = valueArbitrary(property, values)
      const known = values.parameters[name]
      return [name, known === undefined ? value : sometimes(30, value, fc.constant(known))] as const
    })
    const object = recordOf(members, schema.required)
    const extended = fc.tuple(object, unknownMember)
    return sometimes(
      1,
      extended.map(([value, member]) => Object.fromEntries([...Object.entries(value), member])),
      object,
    )
  }
  return fc.oneof(
    oneOf('hello|name|https://app.example/cb|authorization_code|refresh_token|0|2048'),
    fc.constantFrom(...values.ids),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    // At the limit and beyond it.
    ...[maxLength, maxLength + 1]
      .filter(length => length <= 5001)
      .map(length => fc.constant('a'.repeat(length))),
  )
}

/** Truncated, repeated, or with a NUL character. */
function corrupt(text: string): Arbitrary<string> {
  return fc.nat({ max: text.length }).chain(index => {
    const [start, end] = [text.slice(0, index), text.slice(index)]
    return fc.constantFrom(start, text + text, `${start}\u0000${end}`)
  })
}

function serialize(type: string, value: unknown): string {
  const json = JSON.stringify(value)
  if (type.includes('urlencoded')) return formEncode(typeof value === 'object' && value !== null ? value : {})
  if (!type.startsWith('multipart')) return json
  return `--x\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n${json}\r\n--x--\r\n`
}

function formEncode(values: object): string {
  const pairs = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(pairs).toString()
}
