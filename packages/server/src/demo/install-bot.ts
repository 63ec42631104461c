import { Permission } from '@gatehouse/protocol/permissions'
import type { Client } from './client.ts'

export interface InstalledBot {
  applicationId: string
  clientSecret: string
  token: string
}

/** Creates an application with a bot and installs it on the server. `bot` are the properties of the bot. */
export async function installBot(
  owner: Client,
  serverId: string,
  application: { name: string; redirectUris?: string[] },
  bot: { username?: string } = {},
): Promise<InstalledBot> {
  const { id, clientSecret } = await owner.request<{ id: string; clientSecret: string }>(
    'POST',
    '/api/applications',
    { type: 'confidential', ...application },
  )
  const { token } = await owner.request<{ token: string }>('POST', `/api/applications/${id}/bot`, bot)
  const parameters = new URLSearchParams({
    client_id: id,
    scope: 'bot applications.commands',
    permissions: String(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS),
    server_id: serverId,
  })
  await owner.submitForm(`/oauth2/authorize?${parameters}`, 'allow')
  return { applicationId: id, clientSecret, token }
}
