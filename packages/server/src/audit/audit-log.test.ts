import assert from 'node:assert/strict'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createSnowflakes } from '../kit/snowflake.ts'
import { createAuditLog } from './audit-log.ts'

eachEngine('the sweep deletes entries after 90 days (community/audit-log)', async (_t, db) => {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const auditLog = createAuditLog({ db, clock: clock.now, ids, events: { toServer: () => undefined } })
  const target = { type: 'instance', id: '', name: '' } as const
  for (const action of ['USER_DISABLE', 'USER_ENABLE'] as const) {
    await db.transaction(tx => auditLog.record(tx, { serverId: null, actor: null, action, target }))
    clock.advance(1)
  }
  clock.advance(90 * 86_400_000 - 1)
  await auditLog.sweep()
  assert.deepEqual(
    (await auditLog.list(null, {})).map(({ action }) => action),
    ['USER_ENABLE'],
  )
})
