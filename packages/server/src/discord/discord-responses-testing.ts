import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import { createDiscordInteractionToken } from '../interactions/index.ts'
import { hashSecret } from '../kit/secret.ts'

/** The token of an interaction in Discord's format. */
export function discordToken(service: TestService, { id, token }: InteractionCreate): string {
  const { secretKey } = service.config
  assert.ok(secretKey)
  return createDiscordInteractionToken(secretKey, { id, tokenHash: hashSecret(token) })
}

export interface DiscordBot {
  /** Sends a request without `Authorization`. */
  send(method: string, path: string, body?: unknown): Promise<TestResponse>
  callback(event: InteractionCreate, body: unknown, query?: string): Promise<TestResponse>
  followup(event: InteractionCreate, body: unknown): Promise<TestResponse>
  /** `id`: of the message, or `@original`. */
  message(method: string, event: InteractionCreate, id: string, body?: unknown): Promise<TestResponse>
}

/** Responds to interactions as a bot that was written for Discord's API. */
export function discordBot(service: TestService): DiscordBot {
  const client = service.client()
  const send: DiscordBot['send'] = (method, path, body) => client.json(method, `/api/v10${path}`, body)
  const webhook = (event: InteractionCreate) =>
    `/webhooks/${event.applicationId}/${discordToken(service, event)}`
  return {
    send,
    callback: (event, body, query = '') =>
      send('POST', `/interactions/${event.id}/${discordToken(service, event)}/callback${query}`, body),
    followup: (event, body) => send('POST', webhook(event), body),
    message: (method, event, id, body) => send(method, `${webhook(event)}/messages/${id}`, body),
  }
}

export function assertDiscordError(reply: TestResponse, status: number, code: number): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body.code, code, reply.text)
}
