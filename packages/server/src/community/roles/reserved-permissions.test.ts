import assert from 'node:assert/strict'
import {
  allPermissions,
  formatPermissions,
  Permission,
  ReservedPermission,
} from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

const { MANAGE_ROLES, MANAGE_CHANNELS, ADMINISTRATOR } = Permission
const { ADD_REACTIONS, ATTACH_FILES, PIN_MESSAGES } = ReservedPermission
const reserved = Object.values(ReservedPermission).reduce((set, bit) => set | bit, 0n)

eachService(
  'permissions of the next version are stored, and granted only by those who have them ' +
    '(community/reserved-permissions, community/permission-hierarchy)',
  async (_t, service) => {
    const [owner, keeper, admin] = [
      await register(service, 'owner'),
      await register(service, 'keeper'),
      await register(service, 'admin'),
    ]
    const { server, general } = await createServer(owner, keeper, admin)
    const path = `/api/servers/${server.id}/roles`
    const createRole = (permissions: bigint, position: number) =>
      owner.client.call('createRole', {
        ...{ id: server.id, body: { name: 'Role', permissions: formatPermissions(permissions), position } },
      })
    const crew = await createRole(reserved, 1)
    assert.equal(crew.permissions, formatPermissions(reserved))
    const keepers = await createRole(MANAGE_ROLES | MANAGE_CHANNELS | ATTACH_FILES, 5)
    const admins = await createRole(ADMINISTRATOR, 9)
    for (const [user, role] of [
      [keeper, keepers],
      [admin, admins],
    ] as const) {
      await owner.client.call('addMemberRole', { id: server.id, userId: user.id, roleId: role.id })
    }
    const set = (permissions: bigint, who = keeper) =>
      who.client.json('PATCH', `${path}/${crew.id}`, { permissions: formatPermissions(permissions) })
    const refused = await set(reserved & ~PIN_MESSAGES)
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, 'You can only change permissions that you have. You do not have: PIN_MESSAGES.'],
    )
    assert.equal((await set(reserved & ~ATTACH_FILES)).status, 200)
    assert.equal((await set(0n, admin)).status, 200)

    const overwrite = (allow: bigint, who = keeper) =>
      who.client.json('PUT', `/api/channels/${general.id}/overwrites/${server.id}`, {
        ...{ type: 'role', allow: formatPermissions(allow), deny: '0' },
      })
    assert.equal((await overwrite(ATTACH_FILES | ADD_REACTIONS)).status, 403)
    assert.equal((await overwrite(ATTACH_FILES)).status, 204)
    const { permissionOverwrites } = await owner.client.call('getChannel', { id: general.id })
    assert.equal(permissionOverwrites[0]?.allow, formatPermissions(ATTACH_FILES))
    const [own] = await owner.client.call('listCurrentUserServers', {})
    assert.equal(own?.permissions, formatPermissions(allPermissions))
  },
)
