import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

// Nobody finds a server that is disabled or deleted, nor anything of it (administration/disable-server,
// limits/deletion). A statement that reads its members, roles, channels or overwrites asks for that itself, with
// `s.deleted_at`, or is in one of these lists.

/**
 * Their callers ask in the same operation: `findServerAccess`, `findChannelAccess`, `listVisibleChannelIds`,
 * `isMember`, a lock; for an invite, which names its server, `findOpenServer` after the read.
 */
const askedBefore = `
applications/command-store.ts findCommandAvailability
community/channels/channel-store.ts countChannels
community/channels/channel-store.ts nextPosition
community/channels/channel-store.ts listChannels
community/channels/channel-store.ts listOverwrites
community/channels/channel-store.ts findOverwrite
community/channels/channel-store.ts countOverwrites
community/invites/invite-store.ts countUse
community/invites/invite-store.ts findInvite
community/invites/invite-store.ts listInvites
community/members/member-store.ts lockMember
community/members/member-store.ts lockMemberAndRoles
community/members/member-store.ts findMembers
community/members/member-store.ts countHumanMembers
community/members/member-store.ts countMembers
community/members/member-store.ts listMembers
community/members/member-store.ts listMembersBefore
community/members/member-store.ts listRoleIdsByUser
community/members/member-store.ts listRoleIdsByServer
community/messages/message-store.ts insertMentions
community/permissions/permission-store.ts listChannelPermissions
community/permissions/permission-store.ts listRolePermissions
community/permissions/permission-store.ts listEveryonePermissions
community/permissions/permission-store.ts listOverwritesOfMember
community/permissions/permission-store.ts listUsersWithAccess
community/permissions/permission-store.ts listMemberRoles
community/permissions/permission-store.ts listMembersWithPermission
community/read-state/read-state-store.ts listNewestMessages
community/read-state/read-state-store.ts listMentionedChannelIds
community/read-state/read-state-store.ts listReadStates
community/reports/report-store.ts findChannelNames
community/roles/role-store.ts countRoles
community/roles/role-store.ts findRole
community/roles/role-store.ts findManagedRole
community/roles/role-store.ts findRoles
community/roles/role-store.ts listRoles
community/servers/server-store.ts listRolePermissionsOfUser`

/** For the deletion of a server, of its members or their messages, and the types of channels that are hidden now. */
const anyState = `
applications/application-store.ts listServersOfBot
community/channels/channel-store.ts findTypes
community/channels/channel-store.ts listChannelIds
community/channels/channel-store.ts deleteOverwritesOfMember
community/deletion-store.ts deletedChannels
community/deletion-store.ts deleteMembersOfRole
community/deletion-store.ts deletedRoles
community/deletion-store.ts markChannels
community/deletion-store.ts deleteMemberRoles
community/deletion-store.ts deleteMembers
community/deletion-store.ts listBotsOfServer`

const root = join(import.meta.dirname, '../..')
const reads = /(?<!DELETE )\b(FROM|JOIN)\s+(members|member_roles|roles|channels|overwrites)\b/

/** `path name` of each function with a statement that reads these tables without the state of the server. */
async function listReaders(): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob('**/*-store.ts', { cwd: root })) {
    const source = readFileSync(join(root, path), 'utf8')
    const fragments = new Map(
      Array.from(source.matchAll(/^const (\w+) = fragment`([^`]*)`/gm), ([, name, sql]) => [name, sql]),
    )
    const complete = source.replace(/\$\{(\w+)\}/g, (value, name) => fragments.get(name) ?? value)
    const functions = complete.split(/^(?=(?:export |async |function |const ))/m)
    for (const text of functions) {
      const [, name] = /^(?:export )?(?:async )?(?:function|const) (\w+)/.exec(text) ?? []
      const statements = text.matchAll(/`([^`]*)`/g)
      const isReader = ([, sql = '']: RegExpExecArray) => reads.test(sql) && !sql.includes('s.deleted_at')
      if (name !== undefined && !fragments.has(name) && statements.some(isReader))
        found.push(`${path} ${name}`)
    }
  }
  return found.toSorted()
}

test('each reader of a server asks whether it is disabled (administration/disable-server)', async () => {
  const known = [askedBefore, anyState].flatMap(text => text.trim().split('\n'))
  assert.deepEqual(await listReaders(), known.toSorted())
})
