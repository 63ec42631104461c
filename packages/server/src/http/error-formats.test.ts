import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { type TestContext, test } from 'node:test'
import { errorCodes, oauthErrorCodes } from '@gatehouse/protocol/errors'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { register } from '@gatehouse/testkit/community'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { setUpWebhook } from '../webhooks/webhooks-testing.ts'

interface Response {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface Sent {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

type Format = 'native' | 'oauth' | 'revocation' | 'discord' | 'slack' | 'page'

/** The documented error format of a path. */
function formatOf(path: string): Format {
  if (/^\/api\/(v\d+\/)?webhooks\/[^/]+\/[^/]+\/slack/.test(path)) return 'slack'
  if (/^\/api\/(v10\/|(v\d+\/)?webhooks\/)/.test(path)) return 'discord'
  if (/^\/api\/oauth2\/token\/revoke/.test(path)) return 'revocation'
  if (/^\/api\/oauth2\/(token|introspect|userinfo)/.test(path)) return 'oauth'
  const pages =
    /^\/(docs|oauth2|login|register|forgot-password|reset-password|verify-email|logout|language)(\/|$|%)/
  return pages.test(path) || path.startsWith('/api/oauth2/authorize') ? 'page' : 'native'
}

const discordCodes = [0, 10_008, 10_015, 10_062, 40_005, 50_006, 50_035, 50_109]

function assertFormat(format: Format, { headers, text }: Response, what: string): void {
  const type = headers['content-type']
  if (format === 'page') {
    assert.equal(type, 'text/html; charset=utf-8', what)
    assert.match(text, /^<!doctype html>/, what)
    return
  }
  if (format === 'slack') {
    assert.equal(type, 'text/plain; charset=utf-8', what)
    assert.match(text, /^[a-z_]+$/, what)
    return
  }
  assert.equal(type, 'application/json', what)
  if (format === 'revocation') {
    assert.equal(text, '{}', what)
    return
  }
  const body: unknown = JSON.parse(text)
  assert.ok(isJsonObject(body), what)
  if (format === 'oauth') {
    assert.ok(
      oauthErrorCodes.some(code => code === body.error),
      `${what}: ${text}`,
    )
    assert.equal(typeof body.error_description, 'string', what)
    return
  }
  assert.equal(typeof body.message, 'string', what)
  if (format === 'native')
    assert.ok(
      errorCodes.some(code => code === body.code),
      `${what}: ${text}`,
    )
  else
    assert.ok(
      discordCodes.some(code => code === body.code),
      `${what}: ${text}`,
    )
}

/** Sends requests unchanged: any method, any body, malformed paths. */
function createSender(agent: Agent, service: TestService): (sent: Sent) => Promise<Response> {
  const { port } = new URL(service.url)
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = send(
        { agent, host: '127.0.0.1', port, method, path, headers: { ...headers } },
        response => {
          let text = ''
          response.setEncoding('utf8').on('data', chunk => {
            text += chunk
          })
          response.once('error', reject).once('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
          })
        },
      )
      outgoing.once('error', reject)
      // The response precedes the body: a server that closes the connection then would reset it.
      if (headers?.['content-length'] === undefined) outgoing.end(body)
      else outgoing.flushHeaders()
    })
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']

const bodies: readonly Omit<Sent, 'method' | 'path'>[] = [
  {},
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { 'content-type': 'application/json' }, body: '{' },
  { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '\ud800=%' },
  { headers: { 'content-type': ';;' }, body: 'x' },
  { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: '{}' },
]

const id = '1234567890123456789'
const [guild, channel] = [`/api/v10/guilds/${id}`, `/api/v10/channels/${id}`]

/**
 * Paths of Discord's API that exist only for reading, because libraries read them at the start: their lists are empty.
 * A client that changes them learns that there is no such feature, as at the other paths of the feature, and not that
 * it used a wrong method (discord/unsupported). By path: what the message names.
 */
const unsupportedChanges: Readonly<Record<string, string>> = {
  [`${guild}/widget`]: 'This part of guilds is',
  [`${guild}/widget.json`]: 'This part of guilds is',
  [`${guild}/integrations`]: 'This part of guilds is',
  [`${guild}/emojis`]: 'Emojis are',
  [`${guild}/stickers`]: 'Stickers are',
  [`${guild}/scheduled-events`]: 'Scheduled events are',
  [`${guild}/auto-moderation/rules`]: 'Automatic moderation is',
  [`${guild}/templates`]: 'Templates are',
  [`${guild}/regions`]: 'Voice is',
  [`${guild}/soundboard-sounds`]: 'Voice is',
  [`${guild}/threads/active`]: 'Threads are',
  [`${channel}/pins`]: 'Pinned messages are',
  [`${channel}/messages/pins`]: 'Pinned messages are',
  [`${channel}/threads/archived/public`]: 'Threads are',
  [`${channel}/threads/archived/private`]: 'Threads are',
  [`${channel}/users/@me/threads/archived/private`]: 'Threads are',
  [`/api/v10/applications/${id}/emojis`]: 'Emojis are',
  '/api/v10/sticker-packs': 'Stickers are',
  '/api/v10/voice/regions': 'Voice is',
  '/api/v10/soundboard-default-sounds': 'Voice is',
}

async function start(t: TestContext) {
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { webhook, path } = await setUpWebhook(service)
  const token = path.split('/').at(-1) ?? ''
  /** A path for the pattern of a route: with an existing webhook, and otherwise with unknown ids. */
  const filled = (pattern: string) =>
    (/\/webhooks\/:id\/:token/.test(pattern)
      ? pattern.replace(':id', webhook.id).replace(':token', token)
      : pattern.replace(/(?<=\/v10\/.*):token/, `gdi_${'0'.repeat(49)}`)
    ).replace(/:\w+/g, id)
  const patterns = service.routes.map(route => ({
    route,
    matches: new RegExp(`^${RegExp.escape(route.path).replace(/(?:\\x3a|:)\w+/g, '[^/]+')}$`),
  }))
  const paths = [...new Set(service.routes.map(route => filled(route.path)))].map(path => {
    const matching = patterns.filter(({ matches }) => matches.test(path)).map(({ route }) => route)
    // A static segment precedes a parameter.
    const parametersOf = (route: { path: string }) => route.path.split(':').length
    const fewest = Math.min(...matching.map(parametersOf))
    const routes = matching.filter(route => parametersOf(route) === fewest)
    return {
      path,
      methods: routes.map(route => route.method),
      cors: routes.some(route => route.cors),
      routes,
    }
  })
  return { service, token, paths, ask: createSender(agent, service) }
}

function assertSilent(service: TestService, token: string): void {
  const lines = service.log.filter(line => line.includes('"level":50'))
  assert.deepEqual(lines, [])
  assert.equal(service.log.join('').includes(token), false)
}

test('another method is 405 with Allow in the error format of the route, regardless of the body', async t => {
  const { service, token, paths, ask } = await start(t)
  const known = new Set(paths.map(({ path }) => path))
  assert.deepEqual(
    Object.keys(unsupportedChanges).filter(path => !known.has(path)),
    [],
  )
  for (const { path, methods: own, cors } of paths) {
    const allowed = new Set<string>(own.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
    for (const method of methods) {
      if (allowed.has(method) || (method === 'OPTIONS' && cors)) continue
      for (const sent of bodies) {
        const what = `${method} ${path} ${JSON.stringify(sent)}`
        const answer = await ask({ ...sent, method, path })
        const unsupported = unsupportedChanges[path]
        if (unsupported !== undefined) {
          const body = { code: 0, message: `${unsupported} not supported by this service.` }
          assert.deepEqual([answer.status, JSON.parse(answer.text)], [404, body], what)
          continue
        }
        assert.equal(answer.status, 405, what)
        assert.deepEqual(new Set(answer.headers.allow?.split(', ')), allowed, what)
        if (method === 'HEAD') assert.equal(answer.text, '', what)
        else assertFormat(formatOf(path), answer, what)
        assert.equal(JSON.stringify(answer).includes(token), false, what)
      }
    }
  }
  assertSilent(service, token)
})

test('an invalid body is rejected in the error format of the route', async t => {
  const { service, token, paths, ask } = await start(t)
  for (const { path, methods: own } of paths) {
    for (const method of own) {
      // DELETE of a webhook ignores the body.
      if (method === 'GET' || (method === 'DELETE' && path.includes(token))) continue
      for (const sent of bodies) {
        const what = `${method} ${path} ${JSON.stringify(sent)}`
        const answer = await ask({ ...sent, method, path })
        assert.notEqual(answer.status, 500, what)
        if (answer.status >= 400) assertFormat(formatOf(path), answer, what)
      }
    }
  }
  assertSilent(service, token)
})

test('a malformed or too long path is rejected in the error format of the route and not repeated', async t => {
  const { service, token, paths, ask } = await start(t)
  const long = 'z'.repeat(600)
  for (const { path, methods: own } of paths) {
    for (const method of [...own, 'QUERY']) {
      const malformed = await ask({ method, path: `${path}%ZZ` })
      const what = `${method} ${path}`
      assert.equal(malformed.status, 400, what)
      assertFormat(formatOf(path), malformed, what)
      assert.equal(JSON.stringify(malformed).includes(token), false, what)
      assert.equal(JSON.stringify(malformed).includes('%ZZ'), false, what)
    }
    const tooLong = await ask({ method: own[0] ?? 'GET', path: path.replace(/\d{17,}/, long) })
    if (path.match(/\d{17,}/)) assert.equal(tooLong.status, 414, path)
    if (tooLong.status === 414) assertFormat(formatOf(path), tooLong, path)
    assert.equal(JSON.stringify(tooLong).includes(long), false, path)
  }
  assertSilent(service, token)
})

test('an unknown path is 404 in the error format of the nearest route, before the body is read', async t => {
  const { service, token, paths, ask } = await start(t)
  for (const { path } of [...paths, { path: '' }, { path: '/api' }]) {
    for (const method of ['POST', 'PUT', 'QUERY']) {
      for (const sent of bodies) {
        const what = `${method} ${path}/nope ${JSON.stringify(sent)}`
        const answer = await ask({ ...sent, method, path: `${path}/nope/nope/nope` })
        assert.equal(answer.status, 404, what)
        assertFormat(formatOf(path), answer, what)
      }
    }
  }
  assertSilent(service, token)
})

test('an unknown or malformed webhook id is 404 before the body is read', async t => {
  const { service, ask } = await start(t)
  const sent = { headers: { 'content-type': 'text/plain' }, body: 'x' }
  const unknown = await ask({ ...sent, method: 'POST', path: '/api/webhooks/1/2' })
  assert.deepEqual([unknown.status, unknown.text], [404, '{"code":10015,"message":"Unknown Webhook"}'])
  const { client } = await register(service, 'ben')
  const reply = await client.send('/api/servers/none', { ...sent, method: 'PATCH' })
  assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'])
})

test('a body that is too large is rejected in the error format of the route', async t => {
  const { service, token, paths, ask } = await start(t)
  // The others need a credential first.
  const open = paths.filter(({ path }) => formatOf(path) !== 'native' && !path.startsWith('/api/v10/'))
  for (const { path, methods } of open) {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String((path.endsWith('/github') ? 8 : 1) * 1024 * 1024 + 1),
      connection: 'close',
    }
    const answer = await ask({ method: 'POST', path, headers })
    assert.equal(answer.status, methods.includes('POST') ? 413 : 405, path)
    assertFormat(formatOf(path), answer, path)
  }
  assertSilent(service, token)
})

test('every JSON response has exactly the type application/json (RFC 8259 §11)', async t => {
  const { ask, paths } = await start(t)
  const responses = new Map<string, Response>()
  for (const { path, methods: own } of paths) {
    if (own.includes('GET')) responses.set(path, await ask({ method: 'GET', path }))
  }
  for (const path of ['/healthz', '/readyz', '/api/openapi.json', '/api/gateway', '/api/oauth2/keys']) {
    assert.equal(responses.get(path)?.status, 200, path)
    assert.equal(responses.get(path)?.headers['content-type'], 'application/json', path)
  }
  for (const [path, { headers }] of responses) {
    const type = headers['content-type'] ?? ''
    if (type.includes('json')) assert.equal(type, 'application/json', path)
  }
})

test('a rejected WebSocket handshake has a response in the native format', async t => {
  const { ask } = await start(t)
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
  const unknown = await ask({ method: 'GET', path: '/api/nope', headers: upgrade })
  assert.equal(unknown.status, 404)
  assertFormat('native', unknown, 'unknown path')
  const malformed = await ask({ method: 'GET', path: '/api/gateway/ws', headers: upgrade })
  assert.equal(malformed.status, 400)
  assertFormat('native', malformed, 'no key')
  // RFC 6455 §4.4
  assert.equal(malformed.headers['sec-websocket-version'], '13')
})

test('sign-in/cors: a page of another origin can read the headers of every response of a route with CORS', async t => {
  const { paths, ask } = await start(t)
  const long = { 'x-long': 'x'.repeat(20_000) }
  const read = new Set<string>()
  for (const { path, methods: own, routes } of paths) {
    for (const sent of [
      ...methods.map(method => ({ method, path })),
      ...bodies.map(body => ({ ...body, method: own[0] ?? 'GET', path })),
      { method: own[0] ?? 'GET', path, headers: { authorization: 'Bearer gat_x' } },
      { method: own[0] ?? 'GET', path, headers: long },
    ]) {
      const what = `${sent.method} ${path}`
      const { headers } = await ask(sent)
      const exposed = headers['access-control-expose-headers']
      const cors = headers['access-control-allow-origin'] === '*'
      if (routes.find(({ method }) => method === sent.method)?.cors) assert.ok(cors, what)
      assert.equal(exposed !== undefined, cors, what)
      const names = Object.keys(headers).filter(name =>
        /^(www-authenticate|retry-after|x-ratelimit-.*|x-request-id)$/.test(name),
      )
      for (const name of cors ? names : []) {
        assert.ok(exposed?.toLowerCase().split(', ').includes(name), `${what}: ${name}`)
        read.add(name)
      }
    }
  }
  assert.ok(['www-authenticate', 'x-request-id', 'x-ratelimit-limit'].every(name => read.has(name)))
})
