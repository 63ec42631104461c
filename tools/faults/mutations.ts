import { requestText } from '../../bench/load/http-connection.ts'
import type { Random } from './random.ts'

/** One endpoint of the reference. */
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

interface Words {
  ids: string[]
  parameters: Record<string, string>
  credentials: Record<string, string>[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Reads the reference as the service gives it. */
export function readOperations(document: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, given]) => {
      if (!methods.includes(method)) return []
      // A parse edge: OpenAPI 3, as @fastify/swagger writes it.
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

const nasty: readonly unknown[] = [
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

const nastyPath = [
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
const nowhere = ['1', '1000000000000000000', '@me', 'x']
const broken = ['nothing', '', '{', '[', 'null', '{"a":', '\u00ff\u00fe', '"', 'a=%', '--x\r\n']
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
 * What would take away what the other requests stand on: these never meet something that is there. What they do when they
 * succeed is tried where they are tested.
 */
const ending =
  /^(DELETE .*|POST \/api\/applications\/\{[^}]+\}\/(secret|bot\/token)|POST .*\/(logout|token)|PUT .*\/roles\/.*)$/

/** A request as the text to be written: like a right one, with some of it changed. */
export function writeRequest(operation: Operation, words: Words, random: Random): string {
  const wild = random.next()
  const method =
    random.next() < 0.02 ? random.pick(['PUT', 'OPTIONS', 'HEAD', 'TRACE', 'DELETE']) : operation.method
  const ends = ending.test(`${method} ${operation.path}`)
  const known = ends ? { ...words, parameters: {}, ids: nowhere } : words
  const headers: Record<string, string> = {
    ...random.pick(operation.path.endsWith('logout') ? [{}] : words.credentials),
  }
  if (random.next() < 0.05) Object.assign(headers, strangeHeader(random))
  const path = fillPath(operation.path, known, random, wild) + fillQuery(operation, words, random, wild)
  // HEAD has no body in its answer, whatever length it names: a connection that reads it so would wait.
  const safe = method === 'HEAD' || method === 'TRACE' ? 'GET' : method
  if (safe === 'GET') return requestText(safe, path, headers)
  const { type, body } = fillBody(operation, words, random, wild)
  if (type !== '') headers['content-type'] = type
  return requestText(safe, path, headers, body)
}

function strangeHeader(random: Random): Record<string, string> {
  return random.pick<Record<string, string>>([
    { authorization: 'Bearer' },
    { authorization: `Basic ${'='.repeat(50)}` },
    { authorization: 'Bot gbt_\u00ff' },
    { cookie: 'session=%; session=;;=' },
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

function fillPath(path: string, words: Words, random: Random, wild: number): string {
  return path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
    if (wild > 0.9 && random.next() < 0.5) return random.pick(nastyPath)
    if (random.next() < 0.6) {
      const known = words.parameters[name] ?? words.parameters[guess(path, name)]
      if (known !== undefined) return known
    }
    return random.pick(words.ids)
  })
}

/** What `:id` stands for, by the word before it. */
function guess(path: string, name: string): string {
  const before =
    path
      .slice(0, path.indexOf(`{${name}}`))
      .split('/')
      .at(-2) ?? ''
  return `${before.replace(/s$/, '')}Id`
}

function fillQuery({ query }: Operation, words: Words, random: Random, wild: number): string {
  const pairs = query
    .filter(() => random.next() < 0.6)
    .map(({ name, schema }) => [name, text(makeValue(schema, words, random, wild, 0))] as const)
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
  words: Words,
  random: Random,
  wild: number,
): { type: string; body: string | undefined } {
  const schema = body?.schema ?? {}
  const value = makeValue(schema, words, random, wild, 0)
  const declared = body?.type ?? 'application/json'
  const type = random.next() < 0.08 ? random.pick(types) : declared
  if (random.next() < 0.03) {
    const body = random.pick(broken)
    return { type, body: body === 'nothing' ? undefined : body }
  }
  let bytes: string
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
    bytes = fields.map(([name, field]) => `${encode(name)}=${encode(text(field))}`).join('&')
  } else if (type.startsWith('multipart')) {
    bytes = `--x\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n${json(value)}\r\n--x--\r\n`
  } else bytes = json(value)
  if (random.next() < 0.04) bytes = flip(bytes, random)
  return { type, body: Buffer.from(bytes, 'utf8').toString('latin1') }
}

function flip(bytes: string, random: Random): string {
  const at = random.below(bytes.length + 1)
  return random.pick([bytes.slice(0, at), bytes + bytes, `${bytes.slice(0, at)}\u0000${bytes.slice(at)}`])
}

function makeValue(schema: Schema, words: Words, random: Random, wild: number, depth: number): unknown {
  if (random.next() < (wild < 0.3 ? 0 : 0.12)) return random.pick(nasty)
  if (depth > 6) return null
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (variants && variants.length > 0) return makeValue(random.pick(variants), words, random, wild, depth + 1)
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, words, random, wild, depth)
    case 'array':
      return Array.from({ length: random.below(3) }, () =>
        makeValue(schema.items ?? {}, words, random, wild, depth + 1),
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
        random.pick(words.ids),
      ])
  }
}

function objectOf(schema: Schema, words: Words, random: Random, wild: number, depth: number): object {
  const entries = Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) || random.next() < 0.4)
    .map(([name, property]) => [name, named(name, property, words, random, wild, depth)])
  if (wild > 0.97) entries.push([random.pick(['__proto__', 'constructor', 'extra', '']), random.pick(nasty)])
  return Object.fromEntries(entries)
}

/** Where the name says what belongs there. */
function named(
  name: string,
  schema: Schema,
  words: Words,
  random: Random,
  wild: number,
  depth: number,
): unknown {
  const known = words.parameters[name]
  if (known !== undefined && random.next() < 0.7) return known
  return makeValue(schema, words, random, wild, depth + 1)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : json(value)
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** Lone surrogates cannot be percent-encoded: they go as they would be written by whoever does not look. */
function encode(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80'
}
