import assert from 'node:assert/strict'
import type { ServiceProcess } from '@gatehouse/testkit/service-process'
import { authorizePath, makeWorld, type World } from '../../bench/world.ts'
import type { Trial } from './fault.ts'

/** A response with its body as text. */
export interface Reply {
  status: number
  text: string
  headers: Headers
}

/** A community with test data, and requests of its users, applications and bots. */
export interface Community extends World {
  service: ServiceProcess
  send(path: string, init?: RequestInit): Promise<Reply>
  /** Requests an authorization code as a browser does. Returns undefined if the response contains no code. */
  code(scope?: string): Promise<string | undefined>
  exchange(code: string): Promise<Reply>
  refresh(token: string): Promise<Reply>
  post(content: string): Promise<Reply>
  /** The contents of the newest `count` messages of the channel. */
  contents(count: number): Promise<Set<string>>
  /** The contents that no message has. Reads from the newest message and stops when all are found. */
  missing(contents: Iterable<string>): Promise<string[]>
}

const requestTimeoutMs = 20_000

export async function makeCommunity(trial: Trial, service: ServiceProcess): Promise<Community> {
  return communityAt(trial, service, await makeWorld(service.url))
}

/** The same community through another node. */
export function communityAt(trial: Trial, service: ServiceProcess, world: World): Community {
  trial.secret(world.client.secret, world.bot.token, world.webhook.split('/').at(-1) ?? '', 'open-the-gate')
  trial.secret(...world.cookie.split('; ').map(pair => pair.slice(pair.indexOf('=') + 1)))

  async function send(path: string, init: RequestInit = {}): Promise<Reply> {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const response = await fetch(new URL(path, service.url), { redirect: 'manual', signal, ...init })
    const text = await response.text()
    trial.secret(...(text.match(/"g[a-z]{2}_[0-9A-Za-z]{49}"/g) ?? []).map(found => found.slice(1, -1)))
    return { status: response.status, text, headers: response.headers }
  }

  function token(fields: Record<string, string>): Promise<Reply> {
    const { id, secret } = world.client
    const body = new URLSearchParams({ ...fields, client_id: id, client_secret: secret })
    return send('/api/oauth2/token', { method: 'POST', body })
  }

  async function* history(): AsyncGenerator<string> {
    let before = ''
    for (;;) {
      const path = `/api/channels/${world.channelId}/messages?limit=100${before}`
      const { status, text } = await send(path, { headers: { cookie: world.cookie } })
      assert.equal(status, 200, text)
      const page: { id: string; content: string }[] = JSON.parse(text)
      for (const { content } of page) yield content
      if (page.length < 100) return
      before = `&before=${page.at(-1)?.id}`
    }
  }

  return {
    ...world,
    service,
    send,
    async code(scope = 'identify') {
      const path = authorizePath(world.client, scope)
      const { headers } = await send(path, { headers: { cookie: world.cookie, 'sec-fetch-site': 'none' } })
      const code = new URL(headers.get('location') ?? '', service.url).searchParams.get('code') ?? undefined
      if (code !== undefined) trial.secret(code)
      return code
    },
    exchange: code =>
      token({ grant_type: 'authorization_code', code, redirect_uri: world.client.redirectUri }),
    refresh: refreshToken => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    post: content =>
      send(`${world.webhook}?wait=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content }),
      }),
    async contents(count) {
      const found = new Set<string>()
      for await (const content of history()) {
        found.add(content)
        if (found.size === count) break
      }
      return found
    },
    async missing(contents) {
      const left = new Set(contents)
      if (left.size === 0) return []
      for await (const content of history()) {
        left.delete(content)
        if (left.size === 0) break
      }
      return [...left]
    },
  }
}

export function fieldOf(reply: Reply, name: string): string {
  const value: unknown = JSON.parse(reply.text)[name]
  assert.ok(typeof value === 'string', `no ${name} in ${reply.status} ${reply.text.slice(0, 200)}`)
  return value
}

/** Checks that sign-in, token, userinfo and webhook requests succeed. */
export async function assertWorks(community: Community): Promise<void> {
  const code = await community.code()
  assert.ok(code !== undefined, 'the response contains no authorization code')
  const tokens = await community.exchange(code)
  assert.equal(tokens.status, 200, tokens.text)
  const refreshed = await community.refresh(fieldOf(tokens, 'refresh_token'))
  assert.equal(refreshed.status, 200, refreshed.text)
  const authorization = `Bearer ${fieldOf(refreshed, 'access_token')}`
  const info = await community.send('/api/oauth2/userinfo', { headers: { authorization } })
  assert.equal(info.status, 200, info.text)
  const content = `It works ${Math.random()}`
  const posted = await community.post(content)
  assert.equal(posted.status, 200, posted.text)
  assert.ok((await community.contents(1)).has(content), 'the posted message is missing')
}
