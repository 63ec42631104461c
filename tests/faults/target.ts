import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import type { TestResponse } from '@gatehouse/testkit/client'
import { authorizationPath, createFixture, type Fixture, password } from '@gatehouse/testkit/fixture'
import { type GatewayEvent, openSession } from '@gatehouse/testkit/gateway-session'
import type { ServiceProcess } from '@gatehouse/testkit/service-process'
import { retry } from '@gatehouse/testkit/wait-until'
import { secretPattern } from './settings.ts'

/** A service with a fixture, and the requests of its user, application, bot and webhook. */
export type Target = Awaited<ReturnType<typeof createTarget>>

const requestTimeoutMs = 20_000

/** `existing` is the fixture of another node of the same service. */
export async function createTarget(service: ServiceProcess, existing?: Fixture) {
  const fixture = existing ?? (await createFixture(service))
  const { cookie, channelId, application, bot, webhookPath } = fixture
  // Otherwise the search for secrets in the logs would not find them.
  for (const secret of [application.secret, bot.token, webhookPath, password, cookie])
    assert.match(secret, secretPattern)

  const send = (path: string, init: RequestInit = {}): Promise<TestResponse> =>
    service.client().send(path, { signal: AbortSignal.timeout(requestTimeoutMs), ...init })

  function sendJson(path: string, body: unknown, credential: Record<string, string> = {}) {
    const headers = { 'content-type': 'application/json', ...credential }
    return send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  const readAsUser = (path: string) => send(path, { headers: { cookie } })
  const sendAsUser = (path: string, body: unknown) =>
    sendJson(path, body, { cookie, 'sec-fetch-site': 'same-origin' })
  const sendAsBot = (path: string, body: unknown) =>
    sendJson(path, body, { authorization: `Bot ${bot.token}` })
  /** The user invokes the command of the bot. */
  const invoke = () =>
    sendAsUser('/api/interactions', { type: 'command', channelId, commandId: bot.commandId, options: [] })
  const listMessages = (query = '') => readAsUser(`/api/channels/${channelId}/messages${query}`)

  function requestToken(fields: Record<string, string>): Promise<TestResponse> {
    const credentials = { client_id: application.id, client_secret: application.secret }
    const body = new URLSearchParams({ ...fields, ...credentials })
    return send('/api/oauth2/token', { method: 'POST', body })
  }

  return {
    ...{ ...fixture, service, send, sendAsUser, sendAsBot, readAsUser, listMessages, invoke },
    /** Requests an authorization code as a browser does. Returns undefined if the response contains no code. */
    async authorize(): Promise<string | undefined> {
      const headers = { cookie, 'sec-fetch-site': 'none' }
      const response = await send(authorizationPath(application, 'identify'), { headers })
      const location = new URL(response.headers.get('location') ?? '', service.url)
      return location.searchParams.get('code') ?? undefined
    },
    exchange: (code: string) =>
      requestToken({ grant_type: 'authorization_code', code, redirect_uri: application.redirectUri }),
    refresh: (token: string) => requestToken({ grant_type: 'refresh_token', refresh_token: token }),
    userinfo: (token: string) =>
      send('/api/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } }),
    /** Posts a message with the webhook. */
    post: (content: string) => sendJson(`${webhookPath}?wait=true`, { content }),
    /** The contents that no message has. Reads from the newest message and stops when all are found. */
    async findMissing(contents: Iterable<string>): Promise<string[]> {
      const missing = new Set(contents)
      for (let query = '?limit=100'; missing.size > 0; ) {
        const response = await listMessages(query)
        assert.equal(response.status, 200, response.text)
        const messages: Message[] = response.body
        for (const { content } of messages) missing.delete(content ?? '')
        if (messages.length < 100) break
        query = `?limit=100&before=${messages.at(-1)?.id}`
      }
      return [...missing]
    },
    /** Invokes the command of the bot with success. Returns the interaction. */
    async command(): Promise<{ id: string; deadlineAt: string }> {
      const { status, text, body } = await invoke()
      assert.equal(status, 202, text)
      return body
    },
    /** The bot responds to an interaction. */
    respond: ({ d }: GatewayEvent, content = 'Response') =>
      sendAsBot(`/api/interactions/${d.id}/${d.token}/callback`, { type: 'message', data: { content } }),
    connectBot: () => openSession(service.url, { token: bot.token }),
    connectUser: () => openSession(service.url, { cookie, origin: service.url }),
    /** Waits until `/readyz` succeeds. */
    waitUntilReady: (timeoutMs = 10_000) =>
      retry(timeoutMs, async () =>
        assert.equal((await send('/readyz')).status, 200, `not ready after ${timeoutMs} ms`),
      ),
  }
}

/** Checks that the user can invoke the command and that the bot can respond. */
export async function assertInteracts(target: Target): Promise<void> {
  const session = await target.connectBot()
  try {
    await target.command()
    const event = await session.next('INTERACTION_CREATE')
    assert.ok(event !== undefined, 'the bot got no interaction')
    const response = await target.respond(event)
    assert.equal(response.status, 200, response.text)
  } finally {
    session.close()
  }
}

/** Connects a bot that calls `respond` for every interaction. `close` resolves when all calls have ended. */
export async function connectRespondingBot(target: Target, respond: (event: GatewayEvent) => Promise<void>) {
  const session = await target.connectBot()
  const responses: Promise<void>[] = []
  let isOpen = true
  void session.ended.then(() => {
    isOpen = false
  })
  const receiving = (async () => {
    while (isOpen) {
      const event = await session.next('INTERACTION_CREATE')
      if (event) responses.push(respond(event))
    }
  })()
  return {
    async close(): Promise<void> {
      session.close()
      await receiving
      await Promise.all(responses)
    },
  }
}

/** Connects a bot that responds to every interaction. `answered` gets the id of the interaction for each success. */
export function connectAnsweringBot(target: Target, answered: string[]) {
  return connectRespondingBot(target, async event => {
    const response = await target.respond(event).catch(() => undefined)
    if (response?.status === 200) answered.push(event.d.id)
  })
}
