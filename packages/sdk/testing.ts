import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { type Browser, createBrowser } from '../../tools/demo/browser.ts'

/** The whole service with a person on a server, and a bot there that has not started. */
export interface BotWorld {
  service: TestService
  ana: Browser
  applicationId: string
  channelId: string
  token: string
  /** Uses a command or presses a button in the server's channel; resolves to how the service says that it ended. */
  use(body: object): Promise<string>
  /** The id of a command that the person is offered in the channel. */
  commandId(name: string): Promise<string | undefined>
  /** The channel's messages, newest first. */
  messages(): Promise<ShownMessage[]>
}

export interface ShownMessage {
  id: string
  content: string
  state: string
  components: { components: { customId: string }[] }[]
}

interface Named {
  id: string
  name: string
}

export async function startBotWorld(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<BotWorld> {
  const service = await startService(t, { env })
  const ana = createBrowser(service.url)
  const email = 'ana@example.org'
  await ana.json('POST', '/api/auth/register', { username: 'ana', email, password: 'open-the-gate' })
  const server = await ana.json<Named>('POST', '/api/servers', { name: 'Harbour' })
  const [channel] = await ana.json<Named[]>('GET', `/api/servers/${server.id}/channels`)
  assert.ok(channel)
  const { id } = await ana.json<Named>('POST', '/api/applications', { name: 'Dice', type: 'confidential' })
  const { token } = await ana.json<{ token: string }>('POST', `/api/applications/${id}/bot`, {})
  const install = new URLSearchParams({
    client_id: id,
    scope: 'bot applications.commands',
    permissions: '3072',
    server_id: server.id,
  })
  await ana.submitForm(`/oauth2/authorize?${install}`, 'allow')
  const address = `/api/channels/${channel.id}`

  return {
    service,
    ana,
    applicationId: id,
    channelId: channel.id,
    token,
    async use(body) {
      const used = await ana.json<Named>('POST', '/api/interactions', { channelId: channel.id, ...body })
      for (let tries = 0; tries < 1000; tries++) {
        const { state } = await ana.json<{ state: string }>('GET', `/api/interactions/${used.id}`)
        if (state !== 'pending') return state
        await wait(10)
      }
      return 'pending'
    },
    async commandId(name) {
      const commands = await ana.json<Named[]>('GET', `${address}/commands`)
      return commands.find(command => command.name === name)?.id
    },
    messages: () => ana.json('GET', `${address}/messages`),
  }
}

/** Fetches without the Date header of the response: it has the time of the machine, not that of the test clock. */
export async function undated(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const headers = new Headers(response.headers)
  headers.delete('date')
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

/** What comes to pass without the clock: requests on their way. */
export async function until(ready: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await ready())) {
    assert.ok(performance.now() < end, 'it did not come to pass')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
