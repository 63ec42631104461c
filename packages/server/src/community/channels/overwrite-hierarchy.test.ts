import assert from 'node:assert/strict'
import type { Overwrite } from '@gatehouse/protocol/channels'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_CHANNELS, MANAGE_MESSAGES, ADMINISTRATOR } = Permission
const view = formatPermissions(VIEW_CHANNEL)
const send = formatPermissions(SEND_MESSAGES)
const moderate = formatPermissions(MANAGE_MESSAGES)
const none = '0'

/** A member with MANAGE_CHANNELS below the role `staff`, which `chief` has. */
async function setUp(service: TestService) {
  const [owner, keeper, chief] = [
    await register(service, 'owner'),
    await register(service, 'keeper'),
    await register(service, 'chief'),
  ]
  const { server, general } = await createServer(owner, keeper, chief)
  const createRole = async (name: string, permissions: bigint, position: number, userId: string) => {
    const body = { name, permissions: formatPermissions(permissions), position }
    const role = await owner.client.call('createRole', { id: server.id, body })
    await owner.client.call('addMemberRole', { id: server.id, userId, roleId: role.id })
    return role
  }
  await createRole('Keepers', MANAGE_CHANNELS, 2, keeper.id)
  const staff = await createRole('Staff', 0n, 5, chief.id)
  const path = `/api/channels/${general.id}`
  const put = async (id: string, type: string, allow = none, deny = none, who = keeper) =>
    (await who.client.json('PUT', `${path}/overwrites/${id}`, { type, allow, deny })).status
  const remove = async (id: string) => (await keeper.client.json('DELETE', `${path}/overwrites/${id}`)).status
  const replace = async (permissionOverwrites: Overwrite[]) =>
    (await keeper.client.json('PATCH', path, { permissionOverwrites })).status
  return { owner, keeper, chief, server, general, staff, put, remove, replace }
}

eachService(
  'a role or member above the caller can be allowed more, and nothing else (community/permission-hierarchy)',
  async (_t, service) => {
    const { owner, chief, staff, put, remove, replace } = await setUp(service)
    for (const [id, type] of [
      [staff.id, 'role'],
      [chief.id, 'member'],
    ] as const) {
      assert.equal(await put(id, type, none, view), 403, 'denies')
      assert.equal(await put(id, type, moderate), 403, 'allows what the caller does not have')
      assert.equal(await put(id, type, view), 204)
      assert.equal(await put(id, type, String(VIEW_CHANNEL | SEND_MESSAGES)), 204)
      assert.equal(await put(id, type, send), 403, 'takes one of two')
      assert.equal(await put(id, type, send, view), 403, 'denies what was allowed')
      assert.equal(await remove(id), 403, 'takes both')
      assert.equal(await replace([]), 403, 'takes both')
      assert.equal(await put(id, type, none, send, owner), 204)
      assert.equal(await put(id, type), 403, 'denies no longer')
      assert.equal(await remove(id), 403, 'denies no longer')
      assert.equal(await put(id, type, send), 204, 'allows what was denied')
      assert.equal(await put(id, type, none, none, owner), 204)
      assert.equal(await remove(id), 204, 'changes nothing')
    }
  },
)

eachService(
  'a channel with overwrites that lock out a role above is not created; that of its category is not copied ' +
    '(community/permission-hierarchy, community/overwrite-sets)',
  async (_t, service) => {
    const { owner, keeper, server, general, staff } = await setUp(service)
    const create = async (overwrites: object[]) => {
      const body = { name: 'new', permissionOverwrites: overwrites }
      return (await keeper.client.json('POST', `/api/servers/${server.id}/channels`, body)).status
    }
    const hidden = { id: server.id, type: 'role', allow: none, deny: view }
    const letIn = { id: staff.id, type: 'role', allow: view, deny: none }
    assert.equal(await create([hidden, letIn]), 201)
    assert.equal(await create([hidden, { ...letIn, allow: none, deny: view }]), 403)

    const category = await owner.client.call('createChannel', {
      ...{ id: server.id, body: { name: 'Harbour', type: 'category' } },
    })
    const denied = { type: 'role', allow: none, deny: send } as const
    await owner.client.call('putOverwrite', { id: category.id, targetId: staff.id, body: denied })
    const move = { id: general.id, parentId: category.id, lockPermissions: true }
    const sync = () => keeper.client.json('PATCH', `/api/servers/${server.id}/channels`, [move])
    assert.equal((await sync()).status, 403)
    const allowed = { type: 'role', allow: send, deny: none } as const
    await owner.client.call('putOverwrite', { id: category.id, targetId: staff.id, body: allowed })
    assert.equal((await sync()).status, 204)
  },
)

eachService(
  'what a member has only by overwrites they allow only there, and ADMINISTRATOR in one has no effect ' +
    '(community/permission-hierarchy)',
  async (_t, service) => {
    const { owner, keeper, server, staff, put } = await setUp(service)
    assert.equal(await put(keeper.id, 'member', moderate, none, owner), 204)
    assert.equal(await put(server.id, 'role', moderate), 204)
    const other = await owner.client.call('createChannel', { id: server.id, body: { name: 'other' } })
    const elsewhere = await keeper.client.json('PUT', `/api/channels/${other.id}/overwrites/${server.id}`, {
      ...{ type: 'role', allow: moderate, deny: none },
    })
    assert.equal(elsewhere.status, 403)

    const administrator = formatPermissions(ADMINISTRATOR)
    assert.equal(await put(staff.id, 'role', administrator), 403)
    assert.equal(await put(keeper.id, 'member', administrator, none, owner), 204)
    assert.equal(await put(staff.id, 'role', formatPermissions(Permission.BAN_MEMBERS)), 403)
    // Without SEND_MESSAGES in the channel, they cannot give it back to themselves.
    assert.equal(await put(keeper.id, 'member', none, send, owner), 204)
    assert.equal(await put(keeper.id, 'member', send), 403)
    assert.equal(await put(staff.id, 'role', send), 403)
  },
)
