import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { register } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { assertWhole } from '../objects/whole-objects-testing.ts'
import {
  bit,
  call,
  createDiscordWorld,
  identifyDiscord,
  joinServer,
  resumeDiscord,
  takeEvent,
} from './discord-gateway-testing.ts'

type World = Awaited<ReturnType<typeof createDiscordWorld>>

/** Sends the messages and returns their ids, which a session has received. */
async function send({ ada, general }: Pick<World, 'ada' | 'general'>, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    ids.push((await call(ada, 'POST', `/api/channels/${general.id}/messages`, { content: `${i}` })).id)
  }
  return ids
}

async function createWorld(service: TestService): Promise<World> {
  const world = await createDiscordWorld(service)
  const permissions = Permission.VIEW_CHANNEL | Permission.MANAGE_MESSAGES | Permission.BAN_MEMBERS
  await addBot(world.ada.client, world.bot.applicationId, world.server.id, permissions)
  return world
}

async function deleteTogether(service: TestService, { bot, general }: World, messages: string[]) {
  const path = `/api/v10/channels/${general.id}/messages/bulk-delete`
  const headers = { authorization: `Bot ${bot.token}` }
  assert.equal((await service.client().json('POST', path, { messages }, headers)).status, 204)
}

eachService(
  'messages that are deleted together are one event, a single one is MESSAGE_DELETE (discord/gateway-events)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { ada, bot, server, general } = world
    const session = await identifyDiscord(service, { token: bot.token, intents: bit.messages })
    const ids = await send(world, 4)
    for (const id of ids) assert.equal((await takeEvent(session, 'MESSAGE_CREATE')).id, id)
    const [first = '', ...others] = ids
    await deleteTogether(service, world, [...others, '1000000000000000001'])
    const deleted = await takeEvent(session, 'MESSAGE_DELETE_BULK')
    assertWhole('removedMessages', deleted)
    assert.deepEqual(deleted, { ids: others, channel_id: general.id, guild_id: server.id })
    await deleteTogether(service, world, [first])
    assert.equal((await takeEvent(session, 'MESSAGE_DELETE')).id, first)
    await call(ada, 'POST', `/api/channels/${general.id}/messages`, { content: 'end' })
    await takeEvent(session, 'MESSAGE_CREATE')
  },
)

eachService(
  'the messages that a ban deletes are one event for each channel (discord/gateway-events)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { ada, bot, server, general } = world
    const ben = await register(service, 'ben')
    await joinServer(ada, ben, server.id)
    const news = await call(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'news' })
    const last = await call(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'last' })
    const session = await identifyDiscord(service, { token: bot.token, intents: bit.messages })
    const sent: Record<string, string[]> = {}
    for (const [{ id: channelId }, count] of [
      [general, 2] as const,
      [news, 3] as const,
      [last, 1] as const,
    ]) {
      sent[channelId] = await send({ ada: ben, general: { ...general, id: channelId } }, count)
      for (let i = 0; i < count; i++) await takeEvent(session, 'MESSAGE_CREATE')
    }
    await call(ada, 'PUT', `/api/servers/${server.id}/bans/${ben.id}`, { deleteMessageSeconds: 60 })
    const events = [await session.nextDispatch(), await session.nextDispatch(), await session.nextDispatch()]
    const ofChannel = (id: string) => {
      const { t, d } = events.find(({ d: each }) => each.channel_id === id) ?? {}
      return [t, d?.ids ?? d?.id]
    }
    assert.deepEqual(ofChannel(general.id), ['MESSAGE_DELETE_BULK', sent[general.id]])
    assert.deepEqual(ofChannel(news.id), ['MESSAGE_DELETE_BULK', sent[news.id]])
    assert.deepEqual(ofChannel(last.id), ['MESSAGE_DELETE', sent[last.id]?.[0]])
  },
)

test('a bulk deletion is one event after a resume on another node (discord/gateway-events)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const { ada, bot, general } = world
  const session = await identifyDiscord(b, { token: bot.token, intents: bit.messages })
  const ids = await send(world, 3)
  for (const _ of ids) await takeEvent(session, 'MESSAGE_CREATE')
  session.socket.close()
  await session.closed
  await deleteTogether(a, world, ids)
  await call(ada, 'POST', `/api/channels/${general.id}/messages`, { content: 'end' })
  // READY and three messages.
  const resumed = await resumeDiscord(a, { token: bot.token, session_id: session.sessionId, seq: 4 })
  const names: (string | null | undefined)[] = []
  async function read(): Promise<void> {
    while (names.length < 3) {
      const { t: name, d } = await resumed.nextFrame()
      names.push(name)
      if (name === 'MESSAGE_DELETE_BULK') assert.deepEqual(d.ids, ids)
    }
  }
  await advanceUntilSettled(a.clock, read(), 1)
  assert.deepEqual(names, ['MESSAGE_DELETE_BULK', 'MESSAGE_CREATE', 'RESUMED'])
})
