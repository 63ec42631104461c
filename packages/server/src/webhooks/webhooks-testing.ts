import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import type { Server } from '@gatehouse/protocol/servers'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'

/** A webhook in the channel `general` of a server. */
export interface WebhookSetup {
  owner: TestUser
  server: Server
  general: Channel
  webhook: OwnWebhook
  /** The path of its URL: `/api/webhooks/<id>/<token>`. */
  path: string
  /** A client without a session. */
  anonymous: TestClient
  /** Posts JSON with `wait=true`. */
  post(body: unknown): Promise<TestResponse>
  /** Posts a body of any type. `suffix` is appended to `path`. */
  postRaw(body: RequestInit['body'], contentType?: string, suffix?: string): Promise<TestResponse>
  /** The contents of the messages in the channel, oldest first. */
  listContents(): Promise<string[]>
}

/** As its creator sees it. */
export type OwnWebhook = Webhook & { token: string; url: string }

export async function setUpWebhook(service: TestService, username = 'ana'): Promise<WebhookSetup> {
  const owner = await register(service, username)
  const { server, general } = await createServer(owner)
  const webhook = await createWebhook(owner, general.id)
  const path = new URL(webhook.url).pathname
  const anonymous = service.client()
  return {
    owner,
    server,
    general,
    webhook,
    path,
    anonymous,
    post: body => anonymous.json('POST', `${path}?wait=true`, body),
    postRaw: (body, contentType, suffix = '') =>
      anonymous.send(`${path}${suffix}`, {
        method: 'POST',
        ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
        body: body ?? null,
      }),
    async listContents() {
      const reply = await owner.client.get(`/api/channels/${general.id}/messages?limit=100`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.map((message: { content: string }) => message.content).reverse()
    },
  }
}

export async function createWebhook(
  user: TestUser,
  channelId: string,
  options: object = {},
): Promise<OwnWebhook> {
  const reply = await user.client.json('POST', `/api/channels/${channelId}/webhooks`, {
    name: 'Alerts',
    ...options,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** A body of multipart/form-data; each part has its headers. */
export function multipartBody(parts: readonly string[], boundary = 'xx'): string {
  return `${parts.map(part => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
}

export function multipartField(name: string, value: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
}

/** Runs a test with a webhook on each database engine. Rate limits are off by default. */
export function eachWebhook(
  name: string,
  run: (setup: WebhookSetup & { service: TestService }) => Promise<void>,
  { rateLimits = 'off' }: { rateLimits?: 'on' | 'off' } = {},
): void {
  eachService(
    name,
    async (_t, service) => run({ ...(await setUpWebhook(service)), service }),
    rateLimits === 'off' ? { env: { RATE_LIMITS: 'off' } } : {},
  )
}

/** The code of the first error at a path of the response: `errorCodeAt(reply, 'embeds', 0, 'title')`. */
export function errorCodeAt(reply: TestResponse, ...path: (string | number)[]): string | undefined {
  let errors = reply.body.errors
  for (const step of path) errors = errors?.[step]
  return errors?._errors?.[0]?.code
}
