import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '@gatehouse/bot'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createModerationBot } from './moderation.ts'

interface Named {
  id: string
  name: string
}

test('a moderator times out and bans a member with a reason, and a member reports a message', async t => {
  const service = await startService(t)
  const owner = await register(service, 'owner')
  const eve = await register(service, 'eve')
  const { server, general } = await createServer(owner, eve)
  const serverPath = `/api/servers/${server.id}`
  const log = await owner.client.request<Named>('POST', `${serverPath}/channels`, { name: 'moderation' })
  const { applicationId, token } = await createBotApplication(owner.client)
  const { VIEW_CHANNEL, SEND_MESSAGES, EMBED_LINKS, MODERATE_MEMBERS, BAN_MEMBERS } = Permission
  const permissions = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS | MODERATE_MEMBERS | BAN_MEMBERS
  await addBot(owner.client, applicationId, server.id, permissions)
  const bot = createModerationBot(
    { token, url: service.url, log: () => {}, runtime: { clock: service.clock.now } },
    'moderation',
  )
  t.after(() => bot.stop({ graceMs: 0 }))
  await bot.sync()
  await bot.start()

  type User = typeof eve
  const commandsOf = ({ client }: User) =>
    client.request<(Named & { type?: string })[]>('GET', `/api/channels/${general.id}/commands`)
  /** Sends an interaction. Resolves to its id when it has a response. */
  async function use({ client }: User, body: object): Promise<string> {
    const { id } = await client.request<Named>('POST', '/api/interactions', {
      channelId: general.id,
      ...body,
    })
    await waitUntil(async () => {
      const { state } = await client.request<{ state: string }>('GET', `/api/interactions/${id}`)
      return state === 'answered'
    })
    return id
  }
  async function run(user: User, name: string, more: object): Promise<string> {
    const command = (await commandsOf(user)).find(other => other.name === name)
    return use(user, { type: 'command', commandId: command?.id, ...more })
  }
  const submit = (interactionId: string, reason: string) =>
    use(owner, { type: 'modal_submit', interactionId, components: [{ customId: 'reason', value: reason }] })
  const entries = () => owner.client.request<Message[]>('GET', `/api/channels/${log.id}/messages`)

  // Members without the permissions see only the command that is for all.
  assert.deepEqual(
    (await commandsOf(eve)).map(({ name }) => name),
    ['Report'],
  )
  const { id: targetId } = await eve.client.request<Named>('POST', `/api/channels/${general.id}/messages`, {
    content: 'Buy now!',
  })
  await run(eve, 'Report', { targetId })
  assert.equal((await entries())[0]?.embeds[0]?.description, 'Buy now!')

  const options = [
    { name: 'user', value: eve.id },
    { name: 'minutes', value: 5 },
  ]
  await submit(await run(owner, 'timeout', { options }), 'Advertising')
  const member = await owner.client.request<{ timedOutUntil: string | null }>(
    'GET',
    `${serverPath}/members/${eve.id}`,
  )
  assert.equal(member.timedOutUntil, new Date(service.clock.now() + 5 * 60_000).toISOString())
  const [entry] = await entries()
  assert.deepEqual(
    [entry?.embeds[0]?.title, entry?.embeds[0]?.description],
    ['Timed out for 5 minutes', 'Advertising'],
  )

  await submit(await run(owner, 'Ban', { targetId: eve.id }), 'Advertising again')
  const [ban] = await owner.client.request<{ user: Named; reason: string }[]>('GET', `${serverPath}/bans`)
  assert.deepEqual([ban?.user.id, ban?.reason], [eve.id, 'Advertising again'])
  // The result of the moderator's command is ephemeral.
  const messages = await owner.client.request<Message[]>('GET', `/api/channels/${general.id}/messages`)
  assert.ok(messages.every(({ interaction }) => interaction === undefined))
})
