import { createWebhook } from '@gatehouse/bot'

export async function report(address: string, version: string): Promise<void> {
  const webhook = createWebhook(address)
  const message = await webhook.send({ username: 'Deploys', content: `Deploying ${version} …` })
  await webhook.edit(message.id, `Deployed ${version}`)
}
