import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import { createDiscordInteractionToken } from '../interactions/index.ts'
import { hashSecret } from '../kit/secret.ts'

/** The token of an interaction in Discord's format. */
export async function discordToken(
  { config, db }: TestService,
  { id, token, applicationId }: InteractionCreate,
): Promise<string> {
  assert.ok(config.secretKey)
  const application = await db.get<{ botTokenHash: string | null }>`
    SELECT bot_token_hash FROM applications WHERE id = ${applicationId}`
  const botTokenHash = application?.botTokenHash ?? null
  return createDiscordInteractionToken(config.secretKey, { id, tokenHash: hashSecret(token), botTokenHash })
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
  const webhook = async (event: InteractionCreate) =>
    `/webhooks/${event.applicationId}/${await discordToken(service, event)}`
  return {
    send,
    callback: async (event, body, query = '') =>
      send('POST', `/interactions/${event.id}/${await discordToken(service, event)}/callback${query}`, body),
    followup: async (event, body) => send('POST', await webhook(event), body),
    message: async (method, event, id, body) => send(method, `${await webhook(event)}/messages/${id}`, body),
  }
}

export function assertDiscordError(reply: TestResponse, status: number, code: number): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body.code, code, reply.text)
}
