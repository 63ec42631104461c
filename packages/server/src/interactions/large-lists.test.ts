import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import type { Sql, SqlValue } from '../storage/database.ts'
import { listAvailableCommands } from './commands.ts'
import { createWorld, putCommands } from './testing.ts'

/** Records the bytes that each statement returns. */
function measureReads(sql: Sql): Sql & { bytes: number[] } {
  const bytes: number[] = []
  return {
    bytes,
    get: sql.get.bind(sql),
    run: sql.run.bind(sql),
    async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
      const rows = await sql.all<Row>(text, ...values)
      bytes.push(JSON.stringify(rows).length)
      return rows
    },
  }
}

eachService(
  'commands are read in slices of 256 KiB, and few ones with one statement (limits/event-loop)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, serverId, channelId } = world
    const read = async () => {
      const sql = measureReads(service.db)
      const commands = await listAvailableCommands(sql, service.clock.now(), ann.id, channelId)
      return { commands, bytes: sql.bytes }
    }
    const small = await read()
    assert.deepEqual(
      small.commands.map(({ name }) => name),
      ['ping', 'roll'],
    )
    const options = Array.from({ length: 25 }, (_, i) => ({
      type: 'string',
      name: `option-${i}`,
      description: 'x'.repeat(100),
      choices: [{ name: 'y'.repeat(100), value: 'z'.repeat(100) }],
    }))
    const sent = Array.from({ length: 90 }, (_, i) => ({ name: `c${i}`, description: 'Long', options }))
    await putCommands(bot, sent)
    const large = await read()
    assert.deepEqual(large.commands.map(({ name }) => name).sort(), sent.map(({ name }) => name).sort())
    for (const command of large.commands) assert.equal(command.options.length, 25)
    assert.ok(JSON.stringify(large.commands).length > 700_000)
    for (const bytes of large.bytes) assert.ok(bytes <= 320 * 1024, `${bytes} bytes`)
    assert.ok(large.bytes.length > small.bytes.length)

    const path = `/api/servers/${serverId}/commands`
    const listed = await owner.client.get(`${path}/permissions`)
    const { application: _, ...first } = large.commands[0] ?? assert.fail('no command')
    assert.deepEqual(listed.body[0], { ...first, overrides: [] })
    const put = await owner.client.json('PUT', `${path}/${first.id}/permissions`, [])
    assert.deepEqual([put.status, put.body], [200, { ...first, overrides: [] }])
  },
)
