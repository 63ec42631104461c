import assert from 'node:assert/strict'
import { effectivePermissions, Permission, ReservedPermission } from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'
import { eachDiscordBot } from './discord-testing.ts'

const { VIEW_CHANNEL, MANAGE_ROLES, MANAGE_CHANNELS, KICK_MEMBERS } = Permission
const { ADD_REACTIONS, ATTACH_FILES, PIN_MESSAGES } = ReservedPermission
/** With READ_MESSAGE_HISTORY of Discord's API. */
const shownView = String(VIEW_CHANNEL | (1n << 16n))

eachDiscordBot(
  'a bot neither sees nor changes permissions without effect, and needs none of them (discord/permissions)',
  async ({ server, general, ann, owner, call, send }) => {
    const roles = await owner.client.call('listRoles', { id: server.id })
    const ofBot = roles.find(({ managed }) => managed)
    await owner.client.call('updateRole', {
      ...{ id: server.id, roleId: ofBot?.id ?? '', body: { position: 5 } },
    })
    const kept = String(VIEW_CHANNEL | ATTACH_FILES | PIN_MESSAGES)
    const role = await owner.client.call('createRole', {
      ...{ id: server.id, body: { name: 'Crew', permissions: kept } },
    })
    const path = `/guilds/${server.id}/roles`
    assert.equal((await call('GET', `${path}/${role.id}`)).permissions, shownView)
    const sent = String(VIEW_CHANNEL | KICK_MEMBERS | ADD_REACTIONS)
    assert.equal((await send('PATCH', `${path}/${role.id}`, { permissions: sent })).status, 200)
    const read = async (): Promise<Role | undefined> =>
      (await owner.client.call('listRoles', { id: server.id })).find(({ id }) => id === role.id)
    assert.equal((await read())?.permissions, String(BigInt(kept) | KICK_MEMBERS))
    const created = await call('POST', path, { name: 'Mates', permissions: sent })
    const stored = (await owner.client.call('listRoles', { id: server.id })).find(
      ({ id }) => id === created.id,
    )
    assert.equal(stored?.permissions, String(VIEW_CHANNEL | KICK_MEMBERS))

    const ofAnn = { type: 'member', allow: String(ATTACH_FILES), deny: String(PIN_MESSAGES) } as const
    await owner.client.call('putOverwrite', { id: general.id, targetId: ann.id, body: ofAnn })
    const allowed = { id: ann.id, type: 1, allow: String(VIEW_CHANNEL | ADD_REACTIONS), deny: '0' }
    const overwrites = async () =>
      (await owner.client.call('getChannel', { id: general.id })).permissionOverwrites
    const merged = { ...ofAnn, id: ann.id, allow: String(ATTACH_FILES | VIEW_CHANNEL) }
    assert.equal((await send('PUT', `/channels/${general.id}/permissions/${ann.id}`, allowed)).status, 204)
    assert.deepEqual(await overwrites(), [merged])
    const changed = await call('PATCH', `/channels/${general.id}`, { permission_overwrites: [allowed] })
    assert.deepEqual(changed.permission_overwrites, [{ ...allowed, allow: shownView }])
    assert.deepEqual(await overwrites(), [merged])
  },
  { permissions: VIEW_CHANNEL | MANAGE_ROLES | MANAGE_CHANNELS | KICK_MEMBERS },
)

eachDiscordBot(
  'an installation gives a bot only permissions with an effect (sign-in/bot-installation)',
  async ({ server, owner }) => {
    const roles = await owner.client.call('listRoles', { id: server.id })
    assert.equal(roles.find(({ managed }) => managed)?.permissions, String(effectivePermissions))
  },
  { permissions: effectivePermissions | ATTACH_FILES | PIN_MESSAGES },
)
