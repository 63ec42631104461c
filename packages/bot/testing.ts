import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { installBot } from '@gatehouse/testkit/applications'
import type { TestClient } from '@gatehouse/testkit/client'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService, type TestService } from '@gatehouse/testkit/service'

/** The service with a user, a server, and a bot that is installed on the server and not connected. */
export interface BotSetup {
  service: TestService
  ana: TestClient
  applicationId: string
  channelId: string
  token: string
  /** Runs a command or presses a button in the channel. Resolves to the state of the interaction. */
  use(body: object): Promise<string>
  /** The id of a command that the user can run in the channel. */
  commandId(name: string): Promise<string | undefined>
  /** The messages of the channel, newest first. */
  messages(): Promise<ShownMessage[]>
}

export interface ShownMessage {
  id: string
  content: string
  state: string
  components: { components: { customId: string }[] }[]
}

interface WithName {
  id: string
  name: string
}

export async function startBotSetup(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<BotSetup> {
  const service = await startService(t, { env })
  const user = await register(service, 'ana')
  const { server, general: channel } = await createServer(user)
  const { client: ana } = user
  const { applicationId, token } = await installBot(ana, server.id, { name: 'Dice' })
  const path = `/api/channels/${channel.id}`

  return {
    service,
    ana,
    applicationId,
    channelId: channel.id,
    token,
    async use(body) {
      const interaction = await ana.request<WithName>('POST', '/api/interactions', {
        channelId: channel.id,
        ...body,
      })
      for (let attempt = 0; attempt < 6000; attempt++) {
        const { state } = await ana.request<{ state: string }>('GET', `/api/interactions/${interaction.id}`)
        if (state !== 'pending') return state
        await wait(10)
      }
      return 'pending'
    },
    async commandId(name) {
      const commands = await ana.request<WithName[]>('GET', `${path}/commands`)
      return commands.find(command => command.name === name)?.id
    },
    messages: () => ana.request('GET', `${path}/messages`),
  }
}

/** Fetches without the Date header of the response, which has the system time and not that of the test clock. */
export async function fetchWithoutDate(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const headers = new Headers(response.headers)
  headers.delete('date')
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}
