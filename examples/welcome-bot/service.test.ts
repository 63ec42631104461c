import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '@gatehouse/bot'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createWelcomeBot } from './welcome.ts'

interface Named {
  id: string
  name: string
}

test('the bot greets a new member, who gives themselves a role by a button and changes it in the menu', async t => {
  const service = await startService(t)
  const owner = await register(service, 'owner')
  const eve = await register(service, 'eve')
  const { server, general } = await createServer(owner)
  const { applicationId, token } = await createBotApplication(owner.client)
  await owner.client.request('PATCH', `/api/applications/${applicationId}`, {
    privilegedIntents: ['members'],
  })
  const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_ROLES } = Permission
  await addBot(owner.client, applicationId, server.id, VIEW_CHANNEL | SEND_MESSAGES | MANAGE_ROLES)
  const makeRole = (name: string, position: number) =>
    owner.client.request<Named>('POST', `/api/servers/${server.id}/roles`, {
      name,
      permissions: '0',
      position,
    })
  const [red, blue, staff] = [
    await makeRole('Red', 1),
    await makeRole('Blue', 1),
    await makeRole('Staff', 99),
  ]

  const bot = createWelcomeBot(
    { token, url: service.url, log: () => {}, runtime: { clock: service.clock.now } },
    'general',
  )
  t.after(() => bot.stop({ graceMs: 0 }))
  await bot.sync()
  await bot.start()
  const { code } = await owner.client.request<{ code: string }>(
    'POST',
    `/api/servers/${server.id}/invites`,
    {},
  )
  await eve.client.request('POST', `/api/invites/${code}`)
  const messages = () => owner.client.request<Message[]>('GET', `/api/channels/${general.id}/messages`)
  await waitUntil(async () => (await messages())[0]?.content === `👋 Welcome, <@${eve.id}>!`)

  /** Runs a command or uses a component, and waits for the response. */
  async function use(user: typeof eve, body: object): Promise<void> {
    const { id } = await user.client.request<Named>('POST', '/api/interactions', {
      channelId: general.id,
      ...body,
    })
    await waitUntil(async () => {
      const { state } = await user.client.request<{ state: string }>('GET', `/api/interactions/${id}`)
      return state === 'answered'
    })
  }
  async function run(name: string): Promise<Message> {
    const commands = await owner.client.request<Named[]>('GET', `/api/channels/${general.id}/commands`)
    const roles = { first: red.id, second: blue.id, third: staff.id }
    const options = Object.entries(roles).map(([option, value]) => ({ name: option, value }))
    await use(owner, {
      type: 'command',
      commandId: commands.find(command => command.name === name)?.id,
      options,
    })
    const [message] = await messages()
    assert.ok(message)
    return message
  }
  async function rolesOfEve(): Promise<string[]> {
    const path = `/api/servers/${server.id}/members/${eve.id}`
    return (await owner.client.request<{ roles: string[] }>('GET', path)).roles
  }

  // Members without MANAGE_ROLES cannot offer roles.
  assert.deepEqual(await eve.client.request('GET', `/api/channels/${general.id}/commands`), [])
  const { id: buttons } = await run('role-buttons')
  await use(eve, { type: 'component', messageId: buttons, customId: `role:${red.id}` })
  assert.deepEqual(await rolesOfEve(), [red.id])
  // This one is above the role of the bot.
  await use(eve, { type: 'component', messageId: buttons, customId: `role:${staff.id}` })
  assert.deepEqual(await rolesOfEve(), [red.id])
  const { id: menu } = await run('role-menu')
  await use(eve, { type: 'component', messageId: menu, customId: 'roles', values: [blue.id] })
  assert.deepEqual(await rolesOfEve(), [blue.id])
})
