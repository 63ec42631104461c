import assert from 'node:assert/strict'
import { createOperator } from '@gatehouse/testkit/administration'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { openSide } from './copy/open-side.ts'
import { populate } from './copy/populated.fixture.ts'
import { quote } from './copy/side.ts'
import { listTables } from './copy/tables.ts'

// What a ban, a block and a disabling do with the rows that have the id of a user. Who deletes them in the end is in
// references.test.ts.

/** The columns with ids of users. They stay, unless a test below says otherwise. */
const columns = `
applications.owner_id audit_log.actor_id audit_log.target_id authenticator_apps.user_id bans.moderator_id
blocks.user_id command_overrides.user_id dm_members.recipient_id dm_members.user_id former_usernames.user_id
images.owner_id images.uploader_id integrations.added_by interactions.user_id invites.creator_id
known_devices.user_id mail_tokens.user_id member_roles.user_id members.user_id mentions.target_id messages.author_id
mfa_tickets.user_id ownership_transfers.owner_id ownership_transfers.user_id passkeys.user_id read_marks.user_id
recovery_codes.user_id reports.reporter_id reports.user_id security_log.user_id servers.owner_id sessions.user_id
slow_mode_turns.user_id users.id webhooks.created_by`
/** A sweep deletes the rows of revoked grants at any time (limits/deletion). */
const swept = /^(oauth_|grant_revocations)/

/** The number of rows with the id of the user, by column. */
async function countRows(service: TestService, userId: string): Promise<Record<string, number>> {
  const side = await openSide(service.config.databaseUrl, { lock: false })
  const counts: Record<string, number> = {}
  for (const { name: table, columns } of await listTables(side, [])) {
    for (const { name, kind } of columns) {
      if (kind !== 'text') continue
      const sql = `SELECT COUNT(*) FROM ${quote(table)} WHERE ${quote(name)} = $1`
      const [[count] = []] = await side.query(sql, [userId])
      if (Number(count) > 0) counts[`${table}.${name}`] = Number(count)
    }
  }
  await side.close()
  return counts
}

/** What differs, without the columns that are equal and those that a sweep changes. */
function compare(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(key => !swept.test(key))
  const changes = keys.map(key => [key, (after[key] ?? 0) - (before[key] ?? 0)] as const)
  return Object.fromEntries(changes.filter(([, change]) => change !== 0))
}

eachService('a ban, a block and a disabling change only these rows of a user', async (_t, service) => {
  const { callers } = await populate(service)
  const operator = await createOperator(service)
  const { ana, ben } = callers
  assert.ok(ana && ben)
  const idOf = async ({ client }: typeof ana): Promise<string> => (await client.get('/api/users/@me')).body.id
  const [anaId, benId] = [await idOf(ana), await idOf(ben)]
  const server = await service.db.get<{
    id: string
  }>`SELECT server_id AS id FROM members WHERE user_id = ${benId}`
  const before = await countRows(service, anaId)
  let last = await countRows(service, benId)
  const found = new Set([...Object.keys(before), ...Object.keys(last)])
  const kept = [...found].filter(key => !swept.test(key))
  assert.deepEqual(kept.sort(), columns.trim().split(/\s+/))

  const setDisabled = (disabled: boolean) =>
    operator.client.request('PATCH', `/api/admin/users/${anaId}`, { disabled })
  await setDisabled(true)
  assert.deepEqual(compare(before, await countRows(service, anaId)), { 'audit_log.target_id': 1 })
  await setDisabled(false)

  await ana.client.request('PUT', `/api/users/@me/blocks/${benId}`)
  const blocked = await countRows(service, benId)
  assert.deepEqual(compare(last, blocked), { 'blocks.blocked_id': 1 })

  last = blocked
  await ana.client.request('PUT', `/api/servers/${server?.id}/bans/${benId}`)
  assert.deepEqual(compare(last, await countRows(service, benId)), {
    'audit_log.target_id': 1,
    'bans.user_id': 1,
    'command_overrides.user_id': -1,
    'member_roles.user_id': -1,
    'members.user_id': -1,
    'ownership_transfers.user_id': -1,
    'security_log.user_id': 1,
  })
})
