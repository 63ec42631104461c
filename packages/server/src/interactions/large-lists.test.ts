import assert from 'node:assert/strict'
import { measureReads } from '@gatehouse/testkit/measure-reads'
import { eachService } from '@gatehouse/testkit/service'
import { listAvailableCommands } from './command-use.ts'
import { listInteractions } from './interaction-store.ts'
import { createWorld, putCommands, runCommand } from './interactions-testing.ts'

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

eachService('the log is read in slices of 256 KiB (limits/event-loop)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner } = world
  const names = Array.from({ length: 25 }, (_, i) => `option-${i}`)
  const options = names.map(name => ({ type: 'string', name, description: 'Text' }))
  world.commands = await putCommands(bot, [{ name: 'note', description: 'Notes', options }])
  const values = names.map(name => ({ name, value: 'x'.repeat(6000) }))
  for (let i = 0; i < 5; i++) {
    const sent = await runCommand(world, 'note', { options: values.slice(i) })
    assert.equal(sent.status, 202, sent.text)
  }
  const sql = measureReads(service.db)
  const interactions = await listInteractions(sql, bot.applicationId, 4)
  assert.deepEqual(
    interactions.map(({ event }) => JSON.stringify(event.data).match(/"name":"option-/g)?.length),
    [24, 23, 22, 21],
  )
  // The ids with their sizes, and three groups.
  assert.equal(sql.bytes.length, 4)
  for (const bytes of sql.bytes) assert.ok(bytes <= 320 * 1024, `${bytes} bytes`)
  const log = await owner.client.get(`/api/applications/${bot.applicationId}/interactions?limit=4`)
  assert.deepEqual(
    log.body.map(({ id }: { id: string }) => id),
    interactions.map(({ id }) => id),
  )
})
