import { idPattern } from '@gatehouse/protocol/ids'
import type { Fixture } from '@gatehouse/testkit/fixture'
import type { Route } from '@gatehouse/testkit/routes'
import fc, { type Arbitrary } from 'fast-check'
import type { Dispatcher } from 'undici'
import {
  changedValue,
  encode,
  form,
  type Operation,
  type Schema,
  validValue,
} from '../api-requests/generate.ts'

type Method = Dispatcher.HttpMethod

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

const formFields = ['login', 'username', 'email', 'password', 'code', 'token', 'decision', 'return_to']
const formSchema = { type: 'object', properties: Object.fromEntries(formFields.map(name => [name, {}])) }

/** Lists the pages and their forms, which the OpenAPI document leaves out. */
export function listPages(routes: readonly Pick<Route, 'method' | 'path' | 'operationId'>[]): Operation[] {
  return routes
    .filter(({ path, operationId }) => operationId === undefined && !/^\/api\/|:/.test(path))
    .map(({ method, path }) => {
      const bodies = method === 'POST' ? [{ type: form, schema: formSchema }] : []
      return { method, path, parameters: [], bodies }
    })
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
const memberName = oneOf('__proto__|constructor|extra|')
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
  const [{ type: documentedType, schema } = { type: 'application/json', schema: {} }] = bodies
  const name = `${method} ${path}`
  const values = destructive.test(name) ? { ...known, parameters: {}, ids: unknownIds } : known
  const credentials = endsSession.test(name)
    ? known.credentials.filter(({ cookie }) => cookie === undefined)
    : known.credentials
  const query = parameters.filter(parameter => parameter.in === 'query')
  const pairs = fc.record<Record<string, unknown>>(
    Object.fromEntries(query.map(({ name, schema }) => [name, valueArbitrary(schema, values)])),
    { requiredKeys: [] },
  )
  const type = sometimes(5, mediaType, fc.constant(documentedType))
  const content = fc.tuple(type, valueArbitrary(schema, values)).chain(([type, value]) => {
    const text = encode(type, value) ?? ''
    const body = sometimes(2, invalidBody, sometimes(3, corrupt(text), fc.constant(text)))
    return fc.record({ headers: fc.constant({ 'content-type': type }), body })
  })
  return fc
    .record({
      path: pathArbitrary(path, values),
      query: sometimes(
        3,
        invalidQuery,
        pairs.map(pairs => encode(form, pairs).replace(/^(?=.)/, '?')),
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

/** Values of a schema with known ids. A part can be invalid, or differ from the schema in one place. */
function valueArbitrary(schema: Schema, { parameters, ids }: KnownValues): Arbitrary<unknown> {
  const value = validValue(schema, {}, (valid, { pattern }, name = '') => {
    const known = name in parameters ? [parameters[name]] : ids
    const isId = name in parameters || pattern?.includes(idPattern)
    return sometimes(4, invalidValue, isId ? sometimes(30, valid, fc.constantFrom(...known)) : valid)
  })
  const changed = value.chain(value => changedValue(schema, value))
  return sometimes(8, changed, value)
}

/** Truncated, repeated, with a NUL character, or with an unknown member. */
function corrupt(text: string): Arbitrary<string> {
  return fc.tuple(fc.nat({ max: text.length }), memberName).chain(([index, name]) => {
    const [start, end] = [text.slice(0, index), text.slice(index)]
    const extended = text.replace('{', `{"${name}":{},`)
    return fc.constantFrom(start, text + text, `${start}\u0000${end}`, extended)
  })
}
