import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '@gatehouse/protocol/messages'
import type { TestResponse } from '@gatehouse/testkit/client'
import { authorizationPath, createFixture, type Fixture, password } from '@gatehouse/testkit/fixture'
import { type GatewayEvent, type GatewaySession, openSession } from '@gatehouse/testkit/gateway-session'
import type { ServiceProcess } from '@gatehouse/testkit/service-process'
import type { FaultContext } from './fault.ts'

/** A service with a fixture, and the requests of its user, application, bot and webhook. */
export interface Target extends Fixture {
  service: ServiceProcess
  send(path: string, init?: RequestInit): Promise<TestResponse>
  /** Posts JSON, as `sendAsBot`. */
  sendAsUser(path: string, body: unknown): Promise<TestResponse>
  sendAsBot(path: string, body: unknown): Promise<TestResponse>
  /** Requests an authorization code as a browser does. Returns undefined if the response contains no code. */
  authorize(): Promise<string | undefined>
  exchange(code: string): Promise<TestResponse>
  refresh(token: string): Promise<TestResponse>
  userinfo(accessToken: string): Promise<TestResponse>
  /** Posts a message with the webhook. */
  post(content: string): Promise<TestResponse>
  listMessages(query?: string): Promise<TestResponse>
  /** The contents that no message has. Reads from the newest message and stops when all are found. */
  findMissing(contents: Iterable<string>): Promise<string[]>
  /** The user invokes the command of the bot. */
  invoke(): Promise<TestResponse>
  /** The bot responds to an interaction. */
  respond(event: GatewayEvent, content?: string): Promise<TestResponse>
  connectBot(): Promise<GatewaySession>
  connectUser(): Promise<GatewaySession>
}

const requestTimeoutMs = 20_000

/** `existing` is the fixture of another node of the same service. */
export async function createTarget(
  { secrets }: Pick<FaultContext, 'secrets'>,
  service: ServiceProcess,
  existing?: Fixture,
): Promise<Target> {
  const fixture = existing ?? (await createFixture(service))
  const { cookie, channelId, application, bot, webhookPath } = fixture
  const sessions = cookie.split('; ').map(pair => pair.slice(pair.indexOf('=') + 1))
  for (const secret of [application.secret, bot.token, webhookPath.split('/').at(-1), password, ...sessions])
    if (secret !== undefined && secret.length >= 8) secrets.add(secret)

  async function send(path: string, init: RequestInit = {}): Promise<TestResponse> {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const response = await service.client().send(path, { signal, ...init })
    for (const [token] of response.text.matchAll(/g[a-z]{2}_[0-9A-Za-z]{49}/g)) secrets.add(token)
    return response
  }

  function sendJson(path: string, body: unknown, headers: Record<string, string> = {}) {
    return send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  function requestToken(fields: Record<string, string>): Promise<TestResponse> {
    const credentials = { client_id: application.id, client_secret: application.secret }
    const body = new URLSearchParams({ ...fields, ...credentials })
    return send('/api/oauth2/token', { method: 'POST', body })
  }

  const target: Target = {
    ...fixture,
    service,
    send,
    sendAsUser: (path, body) => sendJson(path, body, { cookie, 'sec-fetch-site': 'same-origin' }),
    sendAsBot: (path, body) => sendJson(path, body, { authorization: `Bot ${bot.token}` }),
    async authorize() {
      const headers = { cookie, 'sec-fetch-site': 'none' }
      const response = await send(authorizationPath(application, 'identify'), { headers })
      const location = new URL(response.headers.get('location') ?? '', service.url)
      const code = location.searchParams.get('code') ?? undefined
      if (code !== undefined) secrets.add(code)
      return code
    },
    exchange: code =>
      requestToken({ grant_type: 'authorization_code', code, redirect_uri: application.redirectUri }),
    refresh: token => requestToken({ grant_type: 'refresh_token', refresh_token: token }),
    userinfo: token => send('/api/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } }),
    post: content => sendJson(`${webhookPath}?wait=true`, { content }),
    listMessages: (query = '') =>
      send(`/api/channels/${channelId}/messages${query}`, { headers: { cookie } }),
    async findMissing(contents) {
      const missing = new Set(contents)
      let query = '?limit=100'
      while (missing.size > 0) {
        const response = await target.listMessages(query)
        assert.equal(response.status, 200, response.text)
        const messages: Message[] = response.body
        for (const { content } of messages) missing.delete(content ?? '')
        if (messages.length < 100) break
        query = `?limit=100&before=${messages.at(-1)?.id}`
      }
      return [...missing]
    },
    invoke: () =>
      target.sendAsUser('/api/interactions', {
        type: 'command',
        channelId,
        commandId: bot.commandId,
        options: [],
      }),
    respond: ({ d }, content = 'Response') =>
      target.sendAsBot(`/api/interactions/${d.id}/${d.token}/callback`, {
        type: 'message',
        data: { content },
      }),
    connectBot: () => openSession(service.url, { token: bot.token }),
    connectUser: () => openSession(service.url, { cookie, origin: service.url }),
  }
  return target
}

/** Checks that sign-in, token, userinfo and webhook requests succeed. */
export async function assertWorks(target: Target): Promise<void> {
  const code = await target.authorize()
  assert.ok(code !== undefined, 'the response contains no authorization code')
  const tokens = await target.exchange(code)
  assert.equal(tokens.status, 200, tokens.text)
  const refreshed = await target.refresh(tokens.body.refresh_token)
  assert.equal(refreshed.status, 200, refreshed.text)
  const userinfo = await target.userinfo(refreshed.body.access_token)
  assert.equal(userinfo.status, 200, userinfo.text)
  const content = `It works ${Math.random()}`
  const posted = await target.post(content)
  assert.equal(posted.status, 200, posted.text)
  assert.deepEqual(await target.findMissing([content]), [], 'the posted message is missing')
}

/** Checks that the user can invoke the command and that the bot can respond. */
export async function assertInteracts(target: Target): Promise<void> {
  const session = await target.connectBot()
  try {
    const invoked = await target.invoke()
    assert.equal(invoked.status, 202, invoked.text)
    const event = await session.next('INTERACTION_CREATE')
    assert.ok(event !== undefined, 'the bot got no interaction')
    const response = await target.respond(event)
    assert.equal(response.status, 200, response.text)
  } finally {
    session.close()
  }
}

/** Checks that every message whose request returned 200 exists. */
export async function assertNoneLost(target: Target, contents: Iterable<string>): Promise<void> {
  const missing = await target.findMissing(contents)
  assert.deepEqual(missing, [], 'messages are missing although their request returned 200')
}

/** Connects a bot that responds to every interaction. `answered` gets the id of the interaction for each success. */
export async function connectRespondingBot(
  target: Target,
  answered: string[],
): Promise<{ close(): Promise<unknown> }> {
  const session = await target.connectBot()
  const responses: Promise<void>[] = []
  let isOpen = true
  void session.ended.then(() => (isOpen = false))
  async function respond(event: GatewayEvent): Promise<void> {
    const response = await target.respond(event).catch(() => undefined)
    if (response?.status === 200) answered.push(event.d.id)
  }
  const receiving = (async () => {
    while (isOpen) {
      const event = await session.next('INTERACTION_CREATE')
      if (event) responses.push(respond(event))
    }
  })()
  return {
    async close() {
      session.close()
      await receiving
      await Promise.all(responses)
    },
  }
}

/** Waits until `/readyz` succeeds. Throws after `timeoutMs`. */
export async function waitUntilReady({ send }: Target, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while ((await send('/readyz')).status !== 200) {
    assert.ok(performance.now() < deadline, `not ready after ${timeoutMs} ms`)
    await wait(100)
  }
}
