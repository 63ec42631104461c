import type { Fixture } from '@gatehouse/testkit/fixture'
import fc, { type Arbitrary } from 'fast-check'
import type { Dispatcher } from 'undici'
import { additionalRoutes } from '../../tools/specified-routes.ts'
import type { Operation as ApiOperation, Schema } from '../api-requests/generate.ts'

type Method = Dispatcher.HttpMethod
type Operation = Pick<ApiOperation, 'method' | 'path' | 'parameters' | 'bodies'>

export interface HttpRequest {
  method: Method
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Existing ids, and the parameters and credentials that requests use. */
export interface KnownValues {
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

const formFields = ['login', 'username', 'email', 'password', 'code', 'token', 'decision', 'return_to']

/** The pages with forms, which the OpenAPI document leaves out. */
export function listPages(): Operation[] {
  const schema = { type: 'object', properties: Object.fromEntries(formFields.map(name => [name, {}])) }
  return additionalRoutes
    .filter(({ path }) => !path.startsWith('/api/') && !path.includes(':'))
    .map(({ method, path }) => ({
      method,
      path,
      parameters: [],
      bodies: method === 'POST' ? [{ type: 'application/x-www-form-urlencoded', schema }] : [],
    }))
}

const invalidValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...' |\u0000|\ud800|\u202e\u200b\ufeff|../../etc/passwd|-1|%|%00'.split('|')),
  fc.constantFrom(
    ..."' OR 1=1 --|{{7*7}}<%= 7 %>|javascript:alert(1)|http://[::1|https://a:b@c/#f".split('|'),
  ),
  fc.constantFrom('a'.repeat(5000), '😀'.repeat(300), '9'.repeat(30)),
  fc.constantFrom<unknown>(
    { constructor: { prototype: 1 } },
    { length: -1, toString: 1 },
    [[[[[[]]]]]],
    2 ** 53,
    1e21,
  ),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
)
const unknownMember = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'extra', ''), invalidValue, {
  minKeys: 1,
  maxKeys: 1,
})
const invalidSegment = fc.oneof(
  fc.constantFrom(...'%00 %2e%2e %ff % .. %20 %F0%9F%98%80 @me -1 1e9 {} %2f'.split(' ')),
  fc.constantFrom('a'.repeat(600)),
  fc.string().map(encode),
)
const invalidQuery = fc.constantFrom('?a[b]=1', '?limit=%25', '?__proto__=1', '?limit=-1')
const invalidBody = fc.constantFrom(null, ...'| {|[|null|{"a":|\u00ff\u00fe|"|a=%|--x\r\n'.split('|'))
const mediaType = fc.constantFrom(
  ...'application/json|application/x-www-form-urlencoded|multipart/form-data; boundary=x'.split('|'),
  ...'multipart/form-data|text/plain|image/png|application/json; charset=utf-16'.split('|'),
)
const invalidHeader = fc.constantFrom(
  ...[
    ['authorization', 'Bearer'],
    ['authorization', `Basic ${'='.repeat(50)}`],
    ['authorization', 'Bot gbt_\u00ff'],
    ['cookie', 'gatehouse_session=%; gatehouse_session=;;='],
    ['content-encoding', 'gzip'],
    ['content-type', ''],
    ['accept', 'text/html;q=x,*/*;q=\u00e9'],
    ['x-forwarded-for', '999.1.1.1, ::'],
    ['origin', 'null'],
    ['sec-fetch-site', 'cross-site'],
    ['accept-encoding', 'br;q=0, *'],
    ['range', 'bytes=5-1'],
    ['if-none-match', '*'],
    ['host', 'evil.example:99999'],
    ['x-github-event', 'push'],
  ].map(header => Object.fromEntries([header])),
)

/**
 * Operations that delete or revoke data that the other requests need. They get ids that do not exist. Other tests cover
 * their success.
 */
const destructive =
  /^(DELETE .*|POST \/api\/applications\/\{[^}]+\}\/(secret|bot\/token)|POST .*\/(logout|token)|PUT .*\/roles\/.*)$/

/** Operations that end or replace the session of the other requests. They get no session. */
const endsSession = /^(POST .*\/(register|logout(\/confirm)?)|DELETE .*\/sessions)$/

function withMethod(operation: Operation, known: KnownValues): Arbitrary<HttpRequest> {
  const { method, path, bodies } = operation
  const [body] = bodies
  const values = destructive.test(`${method} ${path}`) ? { ...known, parameters: {}, ids: unknownIds } : known
  const queryString = parametersArbitrary(operation, 'query', values).map(pairs =>
    formEncode(pairs).replace(/^(?=.)/, '?'),
  )
  const url = fc.tuple(pathArbitrary(path, values), sometimes(3, invalidQuery, queryString))
  const credentials = known.credentials.filter(
    ({ cookie }) => cookie === undefined || !endsSession.test(`${method} ${path}`),
  )
  const headers = fc.tuple(fc.constantFrom(...credentials), sometimes(3, invalidHeader, fc.constant({})))
  const type = sometimes(5, mediaType, fc.constant(body?.type ?? 'application/json'))
  const content = fc.tuple(type, valueArbitrary(body?.schema ?? {}, values)).chain(([type, value]) => {
    const text = serialize(type, value)
    const bytes = sometimes(2, invalidBody, sometimes(3, corrupt(text), fc.constant(text)))
    return fc.record({ headers: fc.constant({ 'content-type': type }), body: bytes })
  })
  const noContent = fc.constant({ headers: {}, body: null })
  return fc
    .tuple(url, headers, ['GET', 'HEAD', 'TRACE'].includes(method) ? noContent : content)
    .map(([url, [credential, header], content]) => ({
      method: method as Method,
      path: url.join(''),
      headers: { ...credential, ...content.headers, ...header },
      body: content.body,
    }))
}

/** Requests that are valid for the schemas of the operation, with random invalid parts. */
export function requestArbitrary(operation: Operation, known: KnownValues): Arbitrary<HttpRequest> {
  const otherMethod = fc.constantFrom<Method>('PUT', 'OPTIONS', 'HEAD', 'TRACE', 'DELETE')
  const other = otherMethod.chain(method => withMethod({ ...operation, method }, known))
  return sometimes(2, other, withMethod(operation, known))
}

/**
 * Requests of the documented form: the media type and the parameters of the operation, with valid and invalid values, and no
 * body if the operation has none.
 */
export function documentedRequest(operation: Operation, known: KnownValues): Arbitrary<HttpRequest> {
  const { method, path, bodies } = operation
  const [body] = bodies
  const values = destructive.test(`${method} ${path}`) ? { ...known, parameters: {}, ids: unknownIds } : known
  const content =
    body === undefined
      ? fc.constant(null)
      : sometimes(
          3,
          fc.constantFrom('', '{', 'null', '[]'),
          valueArbitrary(body.schema, values).map(value => serialize(body.type, value)),
        )
  const ids = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const name = segment.slice(1, -1)
    const own = values.parameters[name] ?? values.parameters[`${all[index - 1]?.replace(/s$/, '')}Id`]
    return sometimes(20, fc.constantFrom(...values.ids), fc.constant(own ?? unknownIds[1] ?? ''))
  })
  return fc
    .record({
      path: fc.tuple(...ids).map(parts => parts.join('/')),
      query: parametersArbitrary(operation, 'query', values).map(formEncode),
      named: parametersArbitrary(operation, 'header', values).map(members =>
        mapValues(members, value => encode(String(value))),
      ),
      credential: fc.constantFrom(...known.credentials),
      body: content,
    })
    .map(({ path, query, named, credential, body: text }) => ({
      method: method as Method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...named, ...credential, ...(body && text !== null ? { 'content-type': body.type } : {}) },
      body: text,
    }))
}

function parametersArbitrary(
  { parameters }: Operation,
  place: 'query' | 'header',
  values: KnownValues,
): Arbitrary<Record<string, unknown>> {
  const named = parameters.filter(parameter => parameter.in === place)
  const members = named.map(({ name, schema }) => [name, valueArbitrary(schema, values)])
  return fc.record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys: [] })
}

function mapValues<From, To>(from: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]))
}

/** `rare` with the given percentage. */
function sometimes<T>(percent: number, rare: Arbitrary<T>, usual: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ weight: 100 - percent, arbitrary: usual }, { weight: percent, arbitrary: rare })
}

function pathArbitrary(path: string, { parameters, ids }: KnownValues): Arbitrary<string> {
  const segments = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const name = segment.slice(1, -1)
    // The parameter `{id}` after `servers` is the `serverId`.
    const known = parameters[name] ?? parameters[`${all[index - 1]?.replace(/s$/, '')}Id`]
    const id = fc.constantFrom(...ids)
    return sometimes(3, invalidSegment, known === undefined ? id : sometimes(40, id, fc.constant(known)))
  })
  return fc.tuple(...segments).map(parts => parts.join('/'))
}

function valueArbitrary(schema: Schema, values: KnownValues): Arbitrary<unknown> {
  return sometimes(6, invalidValue, validArbitrary(schema, values))
}

function validArbitrary(schema: Schema, values: KnownValues): Arbitrary<unknown> {
  const { type, minimum = 0, properties = {}, required = [], maxLength } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return fc.oneof(...variants.map(variant => valueArbitrary(variant, values)))
  if (Array.isArray(type))
    return fc.oneof(...type.map(one => validArbitrary({ ...schema, type: one }, values)))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer({ min: minimum, max: minimum + 100 }), fc.constant(schema.maximum ?? minimum))
  if (type === 'array') return fc.array(valueArbitrary(schema.items ?? {}, values), { maxLength: 2 })
  if (type === 'object') {
    const members = Object.entries(properties).map(([name, property]) => {
      const value = valueArbitrary(property, values)
      const known = values.parameters[name]
      return [name, known === undefined ? value : sometimes(30, value, fc.constant(known))]
    })
    const requiredKeys = required.filter(name => name in properties)
    const object = fc.record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys })
    return fc
      .tuple(object, sometimes(1, unknownMember, fc.constant({})))
      .map(([value, unknown]) => Object.fromEntries([value, unknown].flatMap(Object.entries)))
  }
  return fc.oneof(
    fc.constantFrom(
      ...'hello name https://app.example/cb authorization_code refresh_token 0 2048'.split(' '),
    ),
    fc.constantFrom(...values.ids),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    // At the limit and beyond it.
    ...(maxLength === undefined || maxLength > 5000
      ? []
      : [fc.constantFrom(maxLength, maxLength + 1).map(length => 'a'.repeat(length))]),
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
  if (type.includes('urlencoded')) return formEncode(typeof value === 'object' && value !== null ? value : {})
  if (type.startsWith('multipart'))
    return `--x\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n${JSON.stringify(value)}\r\n--x--\r\n`
  return JSON.stringify(value)
}

function formEncode(values: object): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${encode(name)}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('&')
}

/** `encodeURIComponent` throws for lone surrogates, so they become invalid UTF-8. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
