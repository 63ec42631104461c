import assert from 'node:assert/strict'
import { png } from '@gatehouse/testkit/images'
import { eachDiscordBot } from '../discord-testing.ts'
import { assertWhole } from '../objects/whole-objects-testing.ts'

eachDiscordBot(
  'an entry of the audit log has each key once, and what clients read (discord/audit-log)',
  async ({ service, ann, bot, server, general, call }) => {
    const path = `/guilds/${server.id}/audit-logs`
    const readFirst = async (type: number) => {
      const log = await call('GET', `${path}?action_type=${type}`)
      assertWhole('auditLog', log)
      const [{ changes, ...entry }] = log.audit_log_entries
      type Change = { key: string; old_value?: unknown; new_value?: unknown }
      const byKey = (value: 'new_value' | 'old_value') =>
        Object.fromEntries(changes.map((change: Change) => [change.key, change[value]]))
      assert.equal(new Set(changes.map(({ key }: Change) => key)).size, changes.length)
      return { log, entry, old: byKey('old_value'), new: byKey('new_value') }
    }
    const overwrites = [
      { id: ann.id, type: 1, allow: '1024', deny: '0' },
      { id: server.id, type: 0, allow: '0', deny: '1024' },
    ]
    await call('POST', `/guilds/${server.id}/channels`, { name: 'news', permission_overwrites: overwrites })
    const created = (await readFirst(10)).new.permission_overwrites
    assert.deepEqual(
      created.toSorted((a: { type: number }, b: { type: number }) => b.type - a.type),
      overwrites,
    )
    const until = new Date(service.clock.now() + 60_000).toISOString()
    const member = `/guilds/${server.id}/members/${ann.id}`
    await call('PATCH', member, { communication_disabled_until: until })
    const timedOut = (await readFirst(24)).new.communication_disabled_until
    assert.equal(timedOut, until.replace('Z', '000+00:00'))
    const invite = await call('POST', `/channels/${general.id}/invites`, { max_age: 3600, max_uses: 5 })
    await call('DELETE', `/invites/${invite.code}`)
    const values = {
      ...{ code: invite.code, channel_id: general.id, inviter_id: bot.botId },
      ...{ max_age: 3600, max_uses: 5, uses: 0, temporary: false },
    }
    const { new: ofNew, entry } = await readFirst(40)
    assert.deepEqual([ofNew, entry.target_id], [values, null])
    assert.deepEqual((await readFirst(42)).old, values)
    const icon = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
    await call('PATCH', `/guilds/${server.id}`, { icon })
    assert.match((await readFirst(1)).new.icon_hash, /^[0-9a-f]{32}$/)
    await call('PUT', `/channels/${general.id}/permissions/${ann.id}`, { type: 1, allow: '0', deny: '1024' })
    const { log } = await readFirst(13)
    assert.ok(log.users.some((user: { id: string }) => user.id === ann.id))
    for (const type of ['73', '9999']) {
      assert.deepEqual((await call('GET', `${path}?action_type=${type}`)).audit_log_entries, [])
    }
    assertWhole('auditLog', await call('GET', path))
  },
)
