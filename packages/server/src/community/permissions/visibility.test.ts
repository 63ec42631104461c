import assert from 'node:assert/strict'
import { channelPermissions, has, Permission, serverPermissions } from '@gatehouse/protocol/permissions'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { measureReads } from '@gatehouse/testkit/measure-reads'
import fc from 'fast-check'
import type { Database } from '../../storage/database.ts'
import { findChannelAccess } from './access.ts'
import {
  findServerAccess,
  listPossibleViewers,
  listVisibleChannelIds,
  readChannelVisibility,
} from './index.ts'
import { listVisibilityRows } from './permission-store.ts'

const view = Permission.VIEW_CHANNEL.toString()

eachEngine(
  'readChannelVisibility returns the same channels as listVisibleChannelIds for each member',
  async (_t, db) => {
    const community = createCommunity(db)
    const { channels, overwrites, roles, members } = community
    const [ada, ben, cem, dan, eve] = [
      await community.createUser('ada'),
      await community.createUser('ben'),
      await community.createUser('cem'),
      await community.createUser('dan'),
      await community.createUser('eve'),
    ]
    const { server, general } = await community.createServer(ada, ben, cem, dan)
    const secret = await channels.createChannel({ userId: ada }, server.id, { name: 'secret' })
    const inner = await channels.createChannel({ userId: ada }, server.id, { name: 'inner' })
    const insider = await roles.createRole({ userId: ada }, server.id, { name: 'insider', permissions: '0' })
    const excluded = await roles.createRole({ userId: ada }, server.id, {
      name: 'excluded',
      permissions: '0',
    })
    const admin = await roles.createRole({ userId: ada }, server.id, {
      name: 'admin',
      permissions: Permission.ADMINISTRATOR.toString(),
    })
    await overwrites.putOverwrite({ userId: ada }, secret.id, server.id, {
      type: 'role',
      allow: '0',
      deny: view,
    })
    await overwrites.putOverwrite({ userId: ada }, secret.id, insider.id, {
      type: 'role',
      allow: view,
      deny: '0',
    })
    await overwrites.putOverwrite({ userId: ada }, inner.id, excluded.id, {
      type: 'role',
      allow: '0',
      deny: view,
    })
    await overwrites.putOverwrite({ userId: ada }, inner.id, cem, { type: 'member', allow: view, deny: '0' })
    await overwrites.putOverwrite({ userId: ada }, general.id, ben, {
      type: 'member',
      allow: '0',
      deny: view,
    })
    await members.addRole({ userId: ada }, server.id, ben, insider.id)
    await members.addRole({ userId: ada }, server.id, ben, excluded.id)
    await members.addRole({ userId: ada }, server.id, cem, excluded.id)
    await members.addRole({ userId: ada }, server.id, dan, admin.id)

    const userIds = [ada, ben, cem, dan, eve]
    const { channelIdsByUser: visible, channelIds } = await readChannelVisibility(db, server.id, userIds)
    assert.deepEqual(channelIds.sort(), [general.id, secret.id, inner.id].sort())
    const actual = [...visible].map(([id, channels]) => [id, [...channels].sort()])
    const expected = await Promise.all(
      userIds.slice(0, 4).map(async id => [id, (await listVisibleChannelIds(db, id, server.id)).sort()]),
    )
    assert.deepEqual(actual.sort(), expected.sort())
    assert.deepEqual([...(visible.get(ben) ?? [])], [secret.id])
    assert.deepEqual([...(visible.get(cem) ?? [])].sort(), [general.id, inner.id].sort())
    assert.equal(visible.has(eve), false)
  },
)

eachEngine('members with the same roles share one set', async (_t, db) => {
  const community = createCommunity(db)
  const [ada, ben, cem] = [
    await community.createUser('ada'),
    await community.createUser('ben'),
    await community.createUser('cem'),
  ]
  const { server } = await community.createServer(ada, ben, cem)
  const { channelIdsByUser: visible } = await readChannelVisibility(db, server.id, [ben, cem])
  assert.equal(visible.get(ben), visible.get(cem))
  assert.equal(visible.get(ben)?.size, 1)
})

eachEngine('returns no channels and no users for a server that does not exist', async (_t, db) => {
  const community = createCommunity(db)
  const ada = await community.createUser('ada')
  const { channelIdsByUser: visible, channelIds } = await readChannelVisibility(db, '100000000000000000', [
    ada,
  ])
  assert.deepEqual([visible.size, channelIds], [0, []])
})

eachEngine(
  'reads no row for each overwrite, and no overwrites for the owner and administrators (limits/event-loop)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { channels, overwrites, roles, members } = community
    const [ada, ben, cem] = [
      await community.createUser('ada'),
      await community.createUser('ben'),
      await community.createUser('cem'),
    ]
    const { server } = await community.createServer(ada, ben, cem)
    const admin = await roles.createRole({ userId: ada }, server.id, {
      name: 'admin',
      permissions: Permission.ADMINISTRATOR.toString(),
    })
    await members.addRole({ userId: ada }, server.id, cem, admin.id)
    for (let i = 0; i < 5; i++) {
      const channel = await channels.createChannel({ userId: ada }, server.id, { name: `secret-${i}` })
      for (const id of [server.id, admin.id, ben, cem]) {
        const type = id === ben || id === cem ? 'member' : 'role'
        await overwrites.putOverwrite({ userId: ada }, channel.id, id, { type, allow: '0', deny: view })
      }
    }
    for (const [userId, visible] of [
      [ada, 6],
      [ben, 1],
      [cem, 6],
    ] as const) {
      const sql = measureReads(db)
      const { channelIdsByUser } = await readChannelVisibility(sql, server.id, [userId])
      assert.equal(channelIdsByUser.get(userId)?.size, visible)
      // The owner, the member and a role of theirs, 2 roles, 6 channels.
      assert.ok(sql.rows <= 11, `${sql.rows} rows`)
      const texts = await listVisibilityRows(db, server.id, [userId])
      assert.equal(
        texts.some(({ kind, value }) => kind === 'channel' && value !== null),
        userId === ben,
      )
    }
  },
)

const bits = fc
  .subarray([Permission.ADMINISTRATOR, Permission.VIEW_CHANNEL, Permission.SEND_MESSAGES])
  .map(some => some.reduce((all, bit) => all | bit, 0n))
const overwriteBits = fc.record({ allow: bits, deny: bits })

/** Index 0 of `roles` is @everyone, index 0 of `members` the owner. */
const serverArbitrary = fc.record({
  roles: fc.array(bits, { minLength: 4, maxLength: 4 }),
  members: fc.array(fc.subarray([1, 2, 3]), { minLength: 5, maxLength: 5 }),
  channels: fc.array(
    fc.record({
      roles: fc.array(fc.option(overwriteBits, { nil: undefined }), { minLength: 4, maxLength: 4 }),
      members: fc.array(fc.option(overwriteBits, { nil: undefined }), { minLength: 5, maxLength: 5 }),
    }),
    { minLength: 3, maxLength: 6 },
  ),
})

type RandomServer = typeof serverArbitrary extends fc.Arbitrary<infer Value> ? Value : never

/** Inserts a server of `serverArbitrary` with these users as its members. */
async function insertServer(
  { ids, db }: { ids: () => string; db: Database },
  { roles, members, channels }: RandomServer,
  userIds: readonly string[],
) {
  const serverId = ids()
  const roleIds = roles.map((_, i) => (i === 0 ? serverId : ids()))
  const channelIds = channels.map(() => ids())
  await db.transaction(async tx => {
    await tx.run`
    INSERT INTO servers (id, name, owner_id, created_at) VALUES (${serverId}, 'Server', ${userIds[0] ?? ''}, 0)`
    for (const [i, permissions] of roles.entries()) {
      await tx.run`
      INSERT INTO roles (id, server_id, name, permissions, color, position)
      VALUES (${roleIds[i] ?? ''}, ${serverId}, 'role', ${permissions.toString()}, 0, ${i})`
    }
    for (const [i, own] of members.entries()) {
      const userId = userIds[i] ?? ''
      await tx.run`
      INSERT INTO members (server_id, user_id, joined_at) VALUES (${serverId}, ${userId}, 0)`
      for (const role of own) {
        await tx.run`
        INSERT INTO member_roles (server_id, user_id, role_id)
        VALUES (${serverId}, ${userId}, ${roleIds[role] ?? ''})`
      }
    }
    for (const [i, channel] of channels.entries()) {
      const channelId = channelIds[i] ?? ''
      await tx.run`
      INSERT INTO channels (id, server_id, type, name, position, created_at)
      VALUES (${channelId}, ${serverId}, 'text', 'channel', ${i}, 0)`
      const targets = [...channel.roles.entries()].map(([r, bits]) => ['role', roleIds[r], bits] as const)
      const users = [...channel.members.entries()].map(([m, bits]) => ['member', userIds[m], bits] as const)
      for (const [type, id, bits] of [...targets, ...users]) {
        if (bits === undefined) continue
        await tx.run`
        INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
        VALUES (${channelId}, ${id ?? ''}, ${type}, ${bits.allow.toString()}, ${bits.deny.toString()})`
      }
    }
  })
  return { serverId, roleIds, channelIds }
}

eachEngine(
  'all reads of permissions agree with channelPermissions, and possible viewers include all ' +
    'viewers (community/permission-order)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { ids } = community
    const userIds: string[] = []
    for (const name of ['ada', 'ben', 'cem', 'dan', 'eve']) userIds.push(await community.createUser(name))
    await fc.assert(
      fc.asyncProperty(serverArbitrary, async server => {
        const { roles, members, channels } = server
        const { serverId, roleIds, channelIds } = await insertServer({ ids, db }, server, userIds)
        const { channelIdsByUser } = await readChannelVisibility(db, serverId, userIds)
        for (const [i, own] of members.entries()) {
          const userId = userIds[i] ?? ''
          const permissions = serverPermissions({
            isOwner: i === 0,
            roles: [0, ...own].map(role => roles[role] ?? 0n),
          })
          const access = await findServerAccess(db, 0, userId, serverId)
          assert.equal(access?.permissions, permissions, `findServerAccess, member ${i}`)
          const memberRoles = new Set(own.map(role => roleIds[role] ?? ''))
          const member = { serverId, userId, roleIds: memberRoles, permissions }
          const visible: string[] = []
          for (const [c, channel] of channels.entries()) {
            const overwrites = [...roleIds, ...userIds].flatMap((id, target) => {
              const overwrite = [...channel.roles, ...channel.members][target]
              return overwrite ? { id, ...overwrite } : []
            })
            const expected = channelPermissions(overwrites, member)
            const canView = has(expected, Permission.VIEW_CHANNEL)
            const channelId = channelIds[c] ?? ''
            if (canView) visible.push(channelId)
            const access = await findChannelAccess(db, 0, userId, channelId)
            assert.equal(
              access?.permissions,
              canView ? expected : undefined,
              `findChannelAccess, member ${i}`,
            )
          }
          const viewable = [...(channelIdsByUser.get(userId) ?? [])]
          assert.deepEqual(viewable, visible, `readChannelVisibility, member ${i}`)
          // The statement reads no overwrites for the owner and for administrators alone.
          const listed = await listVisibleChannelIds(db, userId, serverId)
          assert.deepEqual(listed, visible, `listVisibleChannelIds, member ${i}`)
        }
        for (const channelId of channelIds) {
          const possible = await listPossibleViewers(db, { serverId, channelId })
          if (possible === undefined) continue
          const viewers = userIds.filter(userId => channelIdsByUser.get(userId)?.has(channelId))
          assert.deepEqual(
            viewers.filter(userId => !possible.includes(userId)),
            [],
            'listPossibleViewers lacks a viewer',
          )
        }
      }),
      { numRuns: 40 },
    )
  },
)
