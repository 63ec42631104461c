import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { type PublishedEvent, subjects, subscribeToEvents } from '../../events/gateway-events.ts'

/** The owner, a moderator, and two members. */
async function setUp(service: TestService) {
  const [owner, moderator, ann, ben] = [
    await register(service, 'owner'),
    await register(service, 'moderator'),
    await register(service, 'ann'),
    await register(service, 'ben'),
  ]
  const { server, general } = await createServer(owner, moderator, ann, ben)
  const path = `/api/servers/${server.id}`
  const permissions = formatPermissions(Permission.BAN_MEMBERS | Permission.MANAGE_SERVER)
  const role = { name: 'Moderators', permissions, position: 5 }
  const { id: roleId } = await owner.client.request<{ id: string }>('POST', `${path}/roles`, role)
  await owner.client.request('PUT', `${path}/members/${moderator.id}/roles/${roleId}`)
  const events: PublishedEvent[] = []
  for (const subject of [subjects.server(server.id), subjects.channel(general.id)]) {
    await subscribeToEvents(service.bus, subject, event => events.push(event))
  }
  const post = async (by: typeof ann, content: string) =>
    (await by.client.call('createMessage', { id: general.id, body: { content } })).id
  return { owner, moderator, ann, ben, server, general, path, roleId, events, post }
}

const countDeletions = async ({ db }: TestService) => (await db.all`SELECT id FROM message_deletions`).length

eachService(
  'a bulk ban removes members, and fails for the others (community/bulk-bans)',
  async (_t, service) => {
    const { owner, moderator, ann, ben, path, server, roleId, events } = await setUp(service)
    await owner.client.request('PUT', `${path}/members/${ben.id}/roles/${roleId}`)
    const userIds = [ben.id, ann.id, owner.id, moderator.id, '1000000000000000001']
    const result = await moderator.client.call('createBans', {
      ...{ id: server.id, body: { userIds, reason: 'Spam' } },
    })
    assert.deepEqual(result, {
      bannedUserIds: [ann.id],
      failedUserIds: userIds.filter(id => id !== ann.id).toSorted(),
    })
    const bans = await moderator.client.call('listBans', { id: server.id })
    assert.deepEqual(
      bans.map(({ user, reason, moderator: by }) => [user.id, reason, by?.id]),
      [[ann.id, 'Spam', moderator.id]],
    )
    await waitUntil(() => events.length >= 5, 'the events were not received')
    assert.deepEqual(events.map(({ t }) => t).slice(2), [
      'MEMBER_REMOVE',
      'BAN_ADD',
      'AUDIT_LOG_ENTRY_CREATE',
    ])
    assert.equal((await ann.client.get(path)).status, 404)
    const log = await ann.client.get('/api/users/@me/security-log')
    assert.ok(log.body.some(({ kind }: { kind: string }) => kind === 'BAN'))
    // Nobody is left.
    const again = await moderator.client.call('createBans', { id: server.id, body: { userIds: [ann.id] } })
    assert.deepEqual(again, { bannedUserIds: [], failedUserIds: [ann.id] })
    assert.equal(await countDeletions(service), 0)
  },
)

eachService(
  'a bulk ban deletes the messages of all in the last seconds afterwards, as one deletion (community/bulk-bans)',
  async (_t, service) => {
    const { owner, ann, ben, server, general, events, post } = await setUp(service)
    const old = await post(ann, 'old')
    service.clock.advance(60_000)
    const ids = [await post(ann, 'one'), await post(ben, 'two'), await post(ann, 'three')]
    const kept = await post(owner, 'of another')
    const body = { userIds: [ann.id, ben.id], deleteMessageSeconds: 30 }
    await owner.client.call('createBans', { id: server.id, body })
    const deletions = () => events.filter(({ t }) => t === 'MESSAGE_DELETE')
    await waitUntil(() => deletions().length === 3, 'the messages were not deleted')
    assert.deepEqual(
      deletions().map(({ d, together }) => ['id' in d ? d.id : '', together]),
      [
        [ids[0], ids],
        [ids[1], []],
        [ids[2], []],
      ],
    )
    const left = await owner.client.call('listMessages', { id: general.id })
    assert.deepEqual(
      left.map(({ id }) => id),
      [kept, old],
    )
    await waitUntil(async () => (await countDeletions(service)) === 0, 'the deletion did not end')
  },
)

eachService(
  'the deletion of messages after a bulk ban continues after a crash (community/bulk-bans)',
  async (_t, service) => {
    const { owner, ann, ben, server, general, post } = await setUp(service)
    await post(ann, 'one')
    await post(ben, 'two')
    const kept = await post(owner, 'three')
    // What a node that stopped has left.
    const now = service.clock.now()
    await service.db.run`
      INSERT INTO message_deletions (id, server_id, author_ids, since, due_at)
      VALUES ('1', ${server.id}, ${JSON.stringify([ann.id, ben.id])}, ${now - 60_000}, ${now + 60_000})`
    service.clock.advance(60_000)
    await waitUntil(async () => (await countDeletions(service)) === 0, 'the deletion did not continue')
    const left = await owner.client.call('listMessages', { id: general.id })
    assert.deepEqual(
      left.map(({ id }) => id),
      [kept],
    )
  },
)

eachService(
  'two bulk bans, bans and joins at the same time leave no banned member (community/bulk-bans)',
  async (_t, service) => {
    const { owner, moderator, ann, ben, server, path } = await setUp(service)
    const { code } = await owner.client.call('createInvite', { id: server.id, body: {} })
    const both = { id: server.id, body: { userIds: [ann.id, ben.id] } }
    for (let i = 0; i < 3; i++) {
      const [first, second] = await Promise.all([
        owner.client.call('createBans', both),
        moderator.client.call('createBans', { id: server.id, body: { userIds: [ben.id, ann.id] } }),
        owner.client.json('PUT', `${path}/bans/${ben.id}`, {}),
        ann.client.json('POST', `/api/invites/${code}`),
      ])
      assert.ok(first.bannedUserIds.length + second.bannedUserIds.length <= 2)
      for (const { id, client } of [ann, ben]) {
        assert.equal((await client.get(path)).status, 404)
        await owner.client.request('DELETE', `${path}/bans/${id}`)
        assert.equal((await client.json('POST', `/api/invites/${code}`)).status, 200)
      }
    }
  },
)
