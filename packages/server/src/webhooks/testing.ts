import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import type { Server } from '@gatehouse/protocol/servers'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { found, type Person, register } from '../platform/testing.ts'
import { type Client, eachService, type Reply, type TestService } from '../testing.ts'

/** A webhook in the channel `general` of a server, and a program that knows nothing but its address. */
export interface Outside {
  owner: Person
  server: Server
  general: Channel
  webhook: Webhook
  /** Path of the address: `/api/webhooks/<id>/<token>`. */
  path: string
  program: Client
  /** A JSON post with `wait=true`. */
  post(body: unknown): Promise<Reply>
  /** A post of any type; the query and what follows the token go into `suffix`. */
  raw(body: RequestInit['body'], contentType?: string, suffix?: string): Promise<Reply>
  /** The texts in the channel, oldest first. */
  contents(): Promise<string[]>
}

export async function outside(service: TestService, username = 'ana'): Promise<Outside> {
  const owner = await register(service, username)
  const { server, general } = await found(owner)
  const webhook = await makeWebhook(owner, general.id)
  const path = new URL(webhook.url).pathname
  const program = service.client()
  return {
    owner,
    server,
    general,
    webhook,
    path,
    program,
    post: body => program.json('POST', `${path}?wait=true`, body),
    raw: (body, contentType, suffix = '') =>
      program.send(`${path}${suffix}`, {
        method: 'POST',
        ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
        body: body ?? null,
      }),
    async contents() {
      const reply = await owner.client.get(`/api/channels/${general.id}/messages?limit=100`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.map((message: { content: string }) => message.content).reverse()
    },
  }
}

export async function makeWebhook(person: Person, channelId: string, more: object = {}): Promise<Webhook> {
  const reply = await person.client.json('POST', `/api/channels/${channelId}/webhooks`, {
    name: 'Alerts',
    ...more,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** A body of multipart/form-data, byte for byte as given. */
export function multipart(parts: readonly string[], boundary = 'xx'): string {
  return `${parts.map(part => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
}

export function field(name: string, value: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
}

/** One test per engine, with a webhook and no limit on how often; with `limited`, as it is by default. */
export function eachOutside(
  name: string,
  run: (from: Outside & { service: TestService }) => Promise<void>,
  how: 'free' | 'limited' = 'free',
): void {
  eachService(
    name,
    async (_t, service) => run({ ...(await outside(service)), service }),
    how === 'free' ? { env: { RATE_LIMITS: 'off' } } : {},
  )
}

/** What a refused post says at one place of its body: `codeAt(reply, 'embeds', 0, 'title')`. */
export function codeAt(reply: Reply, ...path: (string | number)[]): string | undefined {
  let found = reply.body.errors
  for (const step of path) found = found?.[step]
  return found?._errors?.[0]?.code
}
