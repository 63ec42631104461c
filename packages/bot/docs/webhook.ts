import { createWebhook } from '@gatehouse/bot'

export async function announceDeployment(webhookUrl: string, version: string): Promise<void> {
  const webhook = createWebhook(webhookUrl)
  const message = await webhook.send({ username: 'Deploys', content: `Deploying ${version} …` })
  await webhook.edit(message.id, { content: `Deployed ${version}` })
}
