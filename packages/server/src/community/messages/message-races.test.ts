// Each test sends 200 writes of messages, and in their midst a request after which they are not allowed any more.
import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects, subscribeToEvents } from '../../events/gateway-events.ts'
import {
  createWorld,
  receivedEvent,
  respond,
  runCommand,
  type World,
} from '../../interactions/interactions-testing.ts'
import { createWebhook } from '../../webhooks/webhooks-testing.ts'

const writes = 200
/** More than one of the kinds of writes of a bot gets. */
const interactions = 40
const content = 'racing'

type Write = () => Promise<TestResponse>

/** The ids of the messages whose events were published on the subject of the channel. */
interface Recorded {
  created: string[]
  deleted: string[]
}

interface Race {
  world: World
  webhookPath: string
  webhookSettings: string
  recorded: Recorded
}

const env = { RATE_LIMITS: 'off' }

async function setUp(service: TestService): Promise<Race> {
  const world = await createWorld(service)
  await world.bot.connect()
  const webhook = await createWebhook(world.owner, world.channelId)
  const recorded: Recorded = { created: [], deleted: [] }
  await subscribeToEvents(service.bus, subjects.channel(world.channelId), ({ t, d }) => {
    if (t === 'MESSAGE_CREATE') recorded.created.push((d as Message).id)
    if (t === 'MESSAGE_DELETE') recorded.deleted.push((d as Message).id)
  })
  return {
    world,
    webhookPath: new URL(webhook.url).pathname,
    webhookSettings: `/api/channels/${world.channelId}/webhooks/${webhook.id}`,
    recorded,
  }
}

/** The writes of each sender, by what they write. */
const senders = {
  async person({ world: { ann, channelId } }: Race): Promise<Write[]> {
    const path = `/api/channels/${channelId}/messages`
    const { id } = await ann.client.request<{ id: string }>('POST', path, { content: 'first' })
    return [
      () => ann.client.json('POST', path, { content }),
      () => ann.client.json('PATCH', `${path}/${id}`, { content }),
    ]
  },

  async bot({ world }: Race): Promise<Write[]> {
    const { bot, channelId } = world
    const path = `/api/channels/${channelId}/messages`
    const { id } = (await bot.json('POST', path, { content: 'first' })).body
    const pong = { type: 'message', data: { content } }
    const pending: InteractionCreate[] = []
    const deferred: InteractionCreate[] = []
    for (let i = 0; i < interactions; i++) {
      pending.push(await receivedEvent(world, runCommand(world, 'ping')))
      deferred.push((await respond(world, runCommand(world, 'ping'), { type: 'defer' })).event)
    }
    const { event } = await respond(world, runCommand(world, 'ping'), pong)
    const next = (events: InteractionCreate[]) => events.pop() ?? event
    return [
      () => bot.json('POST', path, { content }),
      () => bot.json('PATCH', `${path}/${id}`, { content }),
      () => bot.callback(next(pending), pong),
      () => bot.followup(next(deferred), { content }),
      () => bot.followup(event, { content }),
      () => bot.response('PATCH', event, 'original', { content }),
    ]
  },

  async webhook({ world: { service }, webhookPath }: Race): Promise<Write[]> {
    const client = service.client()
    const { id } = (await client.json('POST', `${webhookPath}?wait=true`, { content: 'first' })).body
    const headers = { 'x-github-event': 'push' }
    const push = { ref: 'refs/heads/main', commits: [], repository: { full_name: 'a/b' }, created: true }
    return [
      () => client.json('POST', webhookPath, { content }),
      () => client.json('POST', `${webhookPath}?wait=true`, { content }),
      () => client.json('POST', `${webhookPath}/slack`, { text: content }),
      () => client.json('POST', `${webhookPath}/github`, push, headers),
      () => client.json('PATCH', `${webhookPath}/messages/${id}`, { content }),
    ]
  },
}

/**
 * Sends all writes, and `removal` in their midst. Each write succeeds or is 404, or `refused`; after the removal all
 * are `refused`. Exactly the messages that were stored, and not deleted with the removal, are in the database, and each
 * has its event.
 */
async function race(
  run: Race,
  names: readonly (keyof typeof senders)[],
  removal: () => Promise<TestResponse>,
  refused = 404,
): Promise<void> {
  const { db } = run.world.service
  const kinds = (await Promise.all(names.map(name => senders[name](run)))).flat()
  const write = (_: unknown, index: number) => kinds[index % kinds.length]?.()
  const half = { length: writes / 2 }
  const [before, removed, after] = await Promise.all([
    Promise.all(Array.from(half, write)),
    removal(),
    Promise.all(Array.from(half, write)),
  ])
  assert.ok(removed.status < 300, removed.text)
  for (const reply of [...before, ...after]) {
    const { status = 0, text } = reply ?? {}
    assert.ok(status < 300 || status === 404 || status === refused, `${status} ${text}`)
  }
  const count = run.recorded.created.length
  for (const late of kinds) assert.equal((await late()).status, refused)
  assert.equal(run.recorded.created.length, count, 'a refused write publishes no event')
  const rows = await db.all<{ id: string }>`SELECT id FROM messages WHERE channel_id = ${run.world.channelId}`
  const kept = run.recorded.created.filter(id => !run.recorded.deleted.includes(id))
  assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set(kept))
}

for (const [name, userId] of [
  ['person', ({ ann }: World) => ann.id],
  ['bot', ({ bot }: World) => bot.botId],
] as const) {
  eachService(
    `200 writes of a ${name} that is kicked meanwhile (community/removed-member)`,
    async (_t, service) => {
      const run = await setUp(service)
      const { owner, serverId } = run.world
      const path = `/api/servers/${serverId}/members/${userId(run.world)}`
      await race(run, [name], () => owner.client.json('DELETE', path))
    },
    { env },
  )

  eachService(
    `200 writes of a ${name} that is banned meanwhile: the ban deletes each message (community/bans)`,
    async (_t, service) => {
      const run = await setUp(service)
      const { owner, serverId, channelId } = run.world
      const path = `/api/servers/${serverId}/bans/${userId(run.world)}`
      await race(run, [name], () => owner.client.json('PUT', path, { deleteMessageSeconds: 60 }))
      assert.deepEqual((await owner.client.get(`/api/channels/${channelId}/messages`)).body, [])
    },
    { env },
  )
}

const everyone = ['person', 'bot', 'webhook'] as const

for (const parent of ['channel', 'server'] as const) {
  eachService(
    `200 writes in a ${parent} that is deleted meanwhile: the sweep deletes each message (limits/deletion)`,
    async (_t, service) => {
      const run = await setUp(service)
      const { owner, serverId, channelId } = run.world
      const path = parent === 'channel' ? `/api/channels/${channelId}` : `/api/servers/${serverId}`
      await race(run, everyone, () => owner.client.json('DELETE', path))
      service.clock.advance(60_000)
      await waitUntil(async () => {
        const row = await service.db.get<{ n: number }>`SELECT COUNT(*) AS n FROM messages`
        return row?.n === 0
      })
    },
    { env },
  )
}

eachService(
  '200 posts and edits of a webhook that is deleted meanwhile (webhooks/lifetime)',
  async (_t, service) => {
    const run = await setUp(service)
    await race(run, ['webhook'], () => run.world.owner.client.json('DELETE', run.webhookSettings))
  },
  { env },
)

eachService(
  '200 posts and edits of a webhook whose URL is replaced meanwhile (webhooks/token-reset)',
  async (_t, service) => {
    const run = await setUp(service)
    const { owner } = run.world
    await race(run, ['webhook'], () => owner.client.json('POST', `${run.webhookSettings}/token`))
  },
  { env },
)

eachService(
  '200 writes of a bot that is deleted meanwhile (limits/deletion)',
  async (_t, service) => {
    const run = await setUp(service)
    const { owner, bot } = run.world
    const path = `/api/applications/${bot.applicationId}`
    await race(run, ['bot'], () => owner.client.json('DELETE', path), 401)
  },
  { env },
)
