import { createHash } from 'node:crypto'
import type { Exchange } from '@gatehouse/testkit/client'
import type { Example, FrameExample } from '@gatehouse/testkit/documents'
import type { Route } from '@gatehouse/testkit/routes'
import { startService } from '@gatehouse/testkit/service'
import { createGatewayRecorder, type RecordedFrame } from './gateway.ts'
import { useEveryOperation } from './scenario.ts'

export interface Examples {
  /** By `operationId`. */
  operations: Record<string, Example[]>
  /** The frames of the gateway, by the names of their messages. */
  frames: Record<string, FrameExample[]>
}

const folder = new URL('../../packages/server/src/http/openapi/', import.meta.url)
export const files = {
  operations: new URL('examples.json', folder),
  frames: new URL('gateway-examples.json', folder),
}

/**
 * Uses every operation. Returns the first successful request of each, per media type and per `type` in the body, with fictional
 * values.
 */
export async function recordExamples(t: Parameters<typeof startService>[0]): Promise<Examples> {
  const recorded: { operationId: string; exchange: Exchange }[] = []
  const service = await startService(t, {
    env: { RATE_LIMITS: 'off' },
    onExchange: (operationId, exchange) => recorded.push({ operationId, exchange }),
  })
  const gateway = createGatewayRecorder(service.url)
  await useEveryOperation(service, gateway)
  // Connections receive their last frames when the service stops.
  await Promise.all([service.stop(), gateway.closed()])
  const replace = createReplacement(new URL(service.url).host)
  return {
    operations: mapStrings(listOperations(service.routes, recorded), replace),
    frames: mapStrings(listFrames(gateway.sessions), replace),
  }
}

function listOperations(
  list: readonly Route[],
  recorded: readonly { operationId: string; exchange: Exchange }[],
): Examples['operations'] {
  const examples: Examples['operations'] = {}
  const routes = new Map<string | undefined, Route>(list.map(route => [route.operationId, route]))
  for (const { operationId, exchange } of recorded) {
    const route = routes.get(operationId)
    if (!route || exchange.response.status >= 400) continue
    const list = examples[operationId] ?? []
    examples[operationId] = list
    const example = toExample(route, exchange)
    if (!list.some(({ type, body }) => type === example.type && variantOf(body) === variantOf(example.body)))
      list.push(example)
  }
  return sortByName(examples)
}

/** The first frame of each name. Those that differ for users and bots, or by `type`, have one example of each. */
function listFrames(sessions: readonly (readonly RecordedFrame[])[]): Examples['frames'] {
  const examples: Examples['frames'] = {}
  for (const { name, by, frame } of sessions.flat()) {
    // It would show little of what READY has.
    if (name === 'READY' && frame.d.servers.length === 0) continue
    const list = examples[name] ?? []
    examples[name] = list
    const variant = variantOfFrame(name, by, frame.d)
    if (!list.some(example => example.name === variant))
      list.push({ ...(variant === undefined ? {} : { name: variant }), payload: frame })
  }
  return sortByName(examples)
}

function variantOfFrame(name: string, by: string, d: object): string | undefined {
  if (name === 'INTERACTION_CREATE') return String(variantOf(d))
  if (name === 'INTERACTION_UPDATE') return 'modal' in d ? 'modal' : 'message'
  return name === 'READY' || name === 'Identify' ? by : undefined
}

function sortByName<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function toExample(route: Route, { path, headers, body, response }: Exchange): Example {
  const { pathname, searchParams } = new URL(path, 'http://service.invalid')
  const [type] = headers.get('content-type')?.split(';', 1) ?? []
  const parameters = {
    ...readPath(route.path, pathname),
    ...readQuery(searchParams),
    ...(headers.has('x-github-event') ? { 'X-GitHub-Event': headers.get('x-github-event') } : {}),
  }
  const requestBody = readBody(type, body)
  const responseBody = shorten(response.headers.get('content-type'), response.body, response.text)
  return {
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { body: requestBody }),
    status: response.status,
    ...(responseBody === undefined ? {} : { response: responseBody }),
  }
}

/** What the body of a callback or an interaction is for: `modal`. */
function variantOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined
}

function readPath(template: string, pathname: string): Record<string, string> {
  const segments = pathname.split('/')
  const names = template
    .split('/')
    .flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), index] as const] : []))
  return Object.fromEntries(names.map(([name, index]) => [name, segments[index] ?? '']))
}

/** `limit` and `wait` are the only parameters of a query that are not strings. */
function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    [...parameters].map(([name, value]) => [
      name,
      name === 'limit' || name === 'wait' ? JSON.parse(value) : value,
    ]),
  )
}

function readBody(type: string | undefined, body: RequestInit['body']): unknown {
  if (typeof body !== 'string') return undefined
  if (type === 'application/json') return JSON.parse(body)
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body))
  const [, name = '', value = ''] = /name="([^"]*)"\r\n\r\n(.*)\r\n/.exec(body) ?? []
  return { [name]: value }
}

/** Of the documents and the metrics only the first lines, because the whole text is long and not the same in each run. */
function shorten(type: string | null, body: unknown, text: string): unknown {
  if (type?.startsWith('text/plain'))
    return text.startsWith('#')
      ? '# TYPE gatehouse_gateway_sessions gauge\ngatehouse_gateway_sessions{kind="bot"} 1\n'
      : text
  if (type !== 'application/json' && !type?.startsWith('application/json;')) return undefined
  if (typeof body !== 'object' || body === null) return body
  const { openapi, asyncapi, info } = body as Record<string, unknown>
  if (openapi === undefined && asyncapi === undefined) return body
  const { title, version } = info as Record<string, unknown>
  return openapi === undefined
    ? { asyncapi, info: { title, version }, channels: {} }
    : { openapi, info: { title, version }, paths: {} }
}

type Replace = (text: string, name: string) => string

/** Calls `replace` with every string and the name of the member that has it. */
function mapStrings<Value>(value: Value, replace: Replace, name?: string): Value
function mapStrings(value: unknown, replace: Replace, name = ''): unknown {
  if (typeof value === 'string') return replace(value, name)
  if (Array.isArray(value)) return value.map(item => mapStrings(item, replace, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapStrings(member, replace, key)]),
  )
}

/** Replaces ids, secrets, versions and the host with fictional values. Equal values are replaced with equal ones. */
function createReplacement(host: string): Replace {
  const replaced = new Map<string, string>()

  function once(text: string, create: (count: number) => string): string {
    const known = replaced.get(text) ?? create(replaced.size)
    replaced.set(text, known)
    return known
  }

  function replaceSecrets(text: string): string {
    return text.replace(/[\w-]{16,}/g, token =>
      isRandom(token) ? once(token, count => fictional(token, count)) : token,
    )
  }

  return (text, name) => {
    if (name === 'version') return '1.0.0'
    if (name === 'qr') return '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    if (name === 'id_token' || name === 'id_token_hint')
      return 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
    if (name === 'code' && /^\d{6}$/.test(text)) return '123456'
    if (name === 'code' || name === 'recoveryCodes') return once(text, count => fictional(text, count))
    const shown = text
      .replaceAll('http://localhost', 'https://localhost')
      .replaceAll('ws://localhost', 'wss://localhost')
      .replaceAll(encodeURIComponent(host), 'chat.example.org')
      .replaceAll(host, 'chat.example.org')
      .replace(/^localhost$/, 'chat.example.org')
      .replace('127.0.0.1', '203.0.113.7')
      .replace(/\b[1-9]\d{16,19}\b/g, id =>
        once(id, count => String(146_130_000_000_000_000n + BigInt(count) * 4_194_304n)),
      )
    return replaceSecrets(shown)
  }
}

/** The other long words of examples are ids or in lower case without digits. */
function isRandom(token: string): boolean {
  return !/^\d+$/.test(token) && /\d|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(token)
}

/** Random-looking text of the same form, at most 28 characters. The prefix of a token is kept. */
function fictional(token: string, count: number): string {
  const prefix = /^g[a-z]{1,3}_/.exec(token)?.[0] ?? ''
  const isCode = /^[a-z0-9]{5}-[a-z0-9]{5}$/i.test(token)
  const alphabet = /^[0-9a-f]+$/.test(token)
    ? '0123456789abcdef'
    : /^[A-Z2-7]+$/.test(token)
      ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
      : `abcdefghijklmnopqrstuvwxyz0123456789${isCode ? '' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'}`
  const bytes = createHash('sha512').update(`example ${count}`).digest()
  const length = alphabet.length === 16 ? token.length : Math.min(token.length, 28)
  const random = Array.from({ length: length - prefix.length }, (_, index) =>
    alphabet.charAt((bytes[index] ?? 0) % alphabet.length),
  ).join('')
  return isCode ? `${random.slice(0, 5)}-${random.slice(6)}` : prefix + random
}
