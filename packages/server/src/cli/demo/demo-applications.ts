import type {
  CreateApplicationBody,
  CreateBotBody,
  CreatedApplication,
} from '@gatehouse/protocol/applications'
import { defaultBot } from '@gatehouse/protocol/permissions'
import type { Client } from './demo-client.ts'

type ApplicationFields = Partial<CreateApplicationBody>

/** An application with a bot. */
export interface BotApplication {
  applicationId: string
  clientSecret: string
  botId: string
  token: string
}

/** Creates an application of the user, by default a confidential one. */
export function createApplication(
  owner: Client,
  fields: ApplicationFields = {},
): Promise<CreatedApplication> {
  return owner.call('createApplication', { body: { name: 'Dice', type: 'confidential', ...fields } })
}

/** Creates a confidential application with a bot that is on no server. */
export async function createBotApplication(
  owner: Client,
  fields: Omit<ApplicationFields, 'type'> = {},
  botFields: CreateBotBody = {},
): Promise<BotApplication> {
  const { id, clientSecret = '' } = await createApplication(owner, fields)
  const { bot, token } = await owner.call('createBot', { id, body: botFields })
  return { applicationId: id, clientSecret, botId: bot.id, token }
}

/** Adds the bot of an application and its commands to a server with the consent page. */
export async function addBot(
  owner: Client,
  applicationId: string,
  serverId: string,
  permissions: bigint = defaultBot,
): Promise<void> {
  const parameters = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
    server_id: serverId,
  })
  await owner.submitForm(`/oauth2/authorize?${parameters}`, 'allow')
}

/** Creates an application with a bot and adds the bot to the server. */
export async function installBot(
  owner: Client,
  serverId: string,
  fields: Omit<ApplicationFields, 'type'> = {},
  botFields: CreateBotBody = {},
): Promise<BotApplication> {
  const application = await createBotApplication(owner, fields, botFields)
  await addBot(owner, application.applicationId, serverId)
  return application
}
