import { requestText } from '../../bench/load/http-connection.ts'
import type { Random } from './random.ts'

/** An operation of the OpenAPI document. */
export interface Operation {
  method: string
  path: string
  query: Parameter[]
  body: { type: string; schema: Schema } | undefined
}

interface Parameter {
  name: string
  schema: Schema
}

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
}

interface Values {
  ids: string[]
  parameters: Record<string, string>
  credentials: Record<string, string>[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Reads the operations of an OpenAPI document. */
export function readOperations(document: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, given]) => {
      if (!methods.includes(method)) return []
      // The cast is safe: @fastify/swagger generates OpenAPI 3.
      const { parameters = [], requestBody } = given as {
        parameters?: (Parameter & { in: string })[]
        requestBody?: { content?: Record<string, { schema?: Schema }> }
      }
      const [content] = Object.entries(requestBody?.content ?? {})
      return [
        {
          method: method.toUpperCase(),
          path,
          query: parameters.filter(parameter => parameter.in === 'query'),
          body: content && { type: content[0], schema: content[1].schema ?? {} },
        },
      ]
    }),
  )
}

const invalidValues: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e21,
  2 ** 53,
  true,
  false,
  [],
  {},
  '\u0000',
  '\ud800',
  'a'.repeat(5000),
  '\u202e\u200b\ufeff',
  '😀'.repeat(300),
  '999999999999999999999999999999',
  '-1',
  '../../etc/passwd',
  "' OR 1=1 --",
  '%00',
  '%',
  '{{7*7}}<%= 7 %>',
  'javascript:alert(1)',
  'http://[::1',
  'https://user:pass@host/#f',
  { __proto__: null, constructor: { prototype: 1 } },
  { length: -1, toString: 1 },
  [[[[[[]]]]]],
]

const invalidSegments = [
  '%00',
  '%2e%2e',
  '%ff',
  '%',
  '..',
  ' ',
  '%F0%9F%98%80',
  'a'.repeat(600),
  '@me',
  '-1',
  '1e9',
  '{}',
  '%2f',
]
const unknownIds = ['1', '1000000000000000000', '@me', 'x']
const invalidBodies = ['nothing', '', '{', '[', 'null', '{"a":', '\u00ff\u00fe', '"', 'a=%', '--x\r\n']
const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  'image/png',
  'application/json; charset=utf-16',
  '',
]

/**
 * Operations that delete or revoke data that the other requests need. They get ids that do not exist. Other
 * tests cover their success.
 */
const destructive =
  /^(DELETE .*|POST \/api\/applications\/\{[^}]+\}\/(secret|bot\/token)|POST .*\/(logout|token)|PUT .*\/roles\/.*)$/

/** Returns the text of an HTTP request: valid for the operation, with random mutations. */
export function writeRequest(operation: Operation, values: Values, random: Random): string {
  const wild = random.next()
  const method =
    random.next() < 0.02 ? random.pick(['PUT', 'OPTIONS', 'HEAD', 'TRACE', 'DELETE']) : operation.method
  const isDestructive = destructive.test(`${method} ${operation.path}`)
  const known = isDestructive ? { ...values, parameters: {}, ids: unknownIds } : values
  const headers: Record<string, string> = {
    ...random.pick(operation.path.endsWith('logout') ? [{}] : values.credentials),
  }
  if (random.next() < 0.05) Object.assign(headers, pickInvalidHeader(random))
  const path = fillPath(operation.path, known, random, wild) + fillQuery(operation, values, random, wild)
  // A response to HEAD has no body, but the test connection would wait for `Content-Length` bytes.
  const safe = method === 'HEAD' || method === 'TRACE' ? 'GET' : method
  if (safe === 'GET') return requestText(safe, path, headers)
  const { type, body } = fillBody(operation, values, random, wild)
  if (type !== '') headers['content-type'] = type
  return requestText(safe, path, headers, body)
}

function pickInvalidHeader(random: Random): Record<string, string> {
  return random.pick<Record<string, string>>([
    { authorization: 'Bearer' },
    { authorization: `Basic ${'='.repeat(50)}` },
    { authorization: 'Bot gbt_\u00ff' },
    { cookie: 'gatehouse_session=%; gatehouse_session=;;=' },
    { 'content-encoding': 'gzip' },
    { accept: 'text/html;q=x,*/*;q=\u00e9' },
    { 'x-forwarded-for': '999.1.1.1, ::' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'accept-encoding': 'br;q=0, *' },
    { range: 'bytes=5-1' },
    { 'if-none-match': '*' },
    { host: 'evil.example:99999' },
    { 'x-github-event': 'push' },
  ])
}

function fillPath(path: string, values: Values, random: Random, wild: number): string {
  return path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
    if (wild > 0.9 && random.next() < 0.5) return random.pick(invalidSegments)
    if (random.next() < 0.6) {
      const known = values.parameters[name] ?? values.parameters[inferName(path, name)]
      if (known !== undefined) return known
    }
    return random.pick(values.ids)
  })
}

/** The parameter name for `{id}`, from the segment before it: `servers` gives `serverId`. */
function inferName(path: string, name: string): string {
  const before =
    path
      .slice(0, path.indexOf(`{${name}}`))
      .split('/')
      .at(-2) ?? ''
  return `${before.replace(/s$/, '')}Id`
}

function fillQuery({ query }: Operation, values: Values, random: Random, wild: number): string {
  const pairs = query
    .filter(() => random.next() < 0.6)
    .map(({ name, schema }) => [name, text(makeValue(schema, values, random, wild, 0))] as const)
  if (wild > 0.95)
    pairs.push(
      random.pick([
        ['a[b]', '1'],
        ['limit', '%'],
        ['__proto__', '1'],
        ['limit', '-1'],
      ] as const),
    )
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encode(value)}`).join('&')}`
}

function fillBody(
  { body }: Operation,
  values: Values,
  random: Random,
  wild: number,
): { type: string; body: string | undefined } {
  const schema = body?.schema ?? {}
  const value = makeValue(schema, values, random, wild, 0)
  const declared = body?.type ?? 'application/json'
  const type = random.next() < 0.08 ? random.pick(types) : declared
  if (random.next() < 0.03) {
    const body = random.pick(invalidBodies)
    return { type, body: body === 'nothing' ? undefined : body }
  }
  let bytes: string
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
    bytes = fields.map(([name, field]) => `${encode(name)}=${encode(text(field))}`).join('&')
  } else if (type.startsWith('multipart')) {
    bytes = `--x\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n${json(value)}\r\n--x--\r\n`
  } else bytes = json(value)
  if (random.next() < 0.04) bytes = corrupt(bytes, random)
  return { type, body: Buffer.from(bytes, 'utf8').toString('latin1') }
}

function corrupt(bytes: string, random: Random): string {
  const at = random.below(bytes.length + 1)
  return random.pick([bytes.slice(0, at), bytes + bytes, `${bytes.slice(0, at)}\u0000${bytes.slice(at)}`])
}

function makeValue(schema: Schema, values: Values, random: Random, wild: number, depth: number): unknown {
  if (random.next() < (wild < 0.3 ? 0 : 0.12)) return random.pick(invalidValues)
  if (depth > 6) return null
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (variants && variants.length > 0)
    return makeValue(random.pick(variants), values, random, wild, depth + 1)
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return makeObject(schema, values, random, wild, depth)
    case 'array':
      return Array.from({ length: random.below(3) }, () =>
        makeValue(schema.items ?? {}, values, random, wild, depth + 1),
      )
    case 'integer':
    case 'number':
      return (schema.minimum ?? 0) + random.below(100)
    case 'boolean':
      return random.next() < 0.5
    case 'null':
      return null
    default:
      return random.pick([
        'hello',
        'name',
        `n${random.below(1e6)}`,
        'https://app.example/cb',
        'authorization_code',
        'refresh_token',
        '0',
        '2048',
        random.pick(values.ids),
      ])
  }
}

function makeObject(schema: Schema, values: Values, random: Random, wild: number, depth: number): object {
  const entries = Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) || random.next() < 0.4)
    .map(([name, property]) => [name, propertyValue(name, property, values, random, wild, depth)])
  if (wild > 0.97)
    entries.push([random.pick(['__proto__', 'constructor', 'extra', '']), random.pick(invalidValues)])
  return Object.fromEntries(entries)
}

/** Uses a known id if the property has the name of a parameter. */
function propertyValue(
  name: string,
  schema: Schema,
  values: Values,
  random: Random,
  wild: number,
  depth: number,
): unknown {
  const known = values.parameters[name]
  if (known !== undefined && random.next() < 0.7) return known
  return makeValue(schema, values, random, wild, depth + 1)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : json(value)
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** `encodeURIComponent` throws for lone surrogates, so they become invalid UTF-8. */
function encode(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80'
}
