import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { createFixture } from './applications-testing.ts'

const global = '/api/applications/@me/commands'
const roll = { name: 'roll', description: 'Rolls dice' }
const ping = { name: 'ping', description: 'Answers' }

interface ListedCommand {
  id: string
  name: string
  description: string
  serverId?: string
}

eachService(
  'GET and PUT commands 200: global and server commands are separate sets (bots/server-commands)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    await fixture.install('bot applications.commands')
    const own = `/api/applications/@me/servers/${fixture.serverId}/commands`
    const first = await fixture.bot('PUT', global, [roll, ping])
    assert.equal(first.status, 200, first.text)
    const second = await fixture.bot('PUT', own, [{ ...roll, description: 'Rolls here' }])
    assert.equal(second.status, 200, second.text)
    const [globalId, serverCommandId]: [string, string] = [first.body[0].id, second.body[0].id]
    const now = new Date(service.clock.now()).toISOString()
    assert.deepEqual(second.body, [
      {
        id: serverCommandId,
        applicationId: fixture.application.id,
        serverId: fixture.serverId,
        type: 'slash',
        name: 'roll',
        description: 'Rolls here',
        options: [],
        defaultMemberPermissions: null,
        createdAt: now,
        updatedAt: now,
      },
    ])
    assert.notEqual(serverCommandId, globalId)
    assert.deepEqual((await fixture.bot('GET', global)).body, first.body)
    assert.deepEqual((await fixture.bot('GET', own)).body, second.body)

    // The server command hides the global one until it is deleted.
    const available = async (): Promise<ListedCommand[]> =>
      (await fixture.member.client.get(`/api/channels/${fixture.channelId}/commands`)).body
    const names = async () => (await available()).map(({ name, description }) => `${name}: ${description}`)
    assert.deepEqual(await names(), ['ping: Answers', 'roll: Rolls here'])
    const run = (commandId: string) =>
      fixture.member.client.json('POST', '/api/interactions', {
        type: 'command',
        channelId: fixture.channelId,
        commandId,
        options: [],
      })
    assert.equal((await run(globalId)).status, 404, 'the global command is hidden (bots/command-set)')
    assert.equal((await run(serverCommandId)).status, 202)
    assert.deepEqual((await fixture.bot('PUT', own, [])).body, [])
    assert.deepEqual(await names(), ['ping: Answers', 'roll: Rolls dice'])
    assert.equal((await run(globalId)).status, 202)
    assert.equal((await run(serverCommandId)).status, 404)
  },
)

eachService('PUT commands 400: an invalid set changes nothing', async (_t, service) => {
  const fixture = await createFixture(service)
  await fixture.install('bot applications.commands')
  for (const path of [global, `/api/applications/@me/servers/${fixture.serverId}/commands`]) {
    const before = await fixture.bot('PUT', path, [roll])
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}`, description: 'x' }))
    for (const [body, code, errorPath] of [
      [many, 'command_limit', undefined],
      [[...many.slice(85), ...many.map(({ name }) => ({ type: 'user', name }))], 'command_limit', undefined],
      [[roll, roll], 'validation_failed', '[1].name'],
      [[{ ...roll, name: 'Roll' }], 'validation_failed', '[0].name'],
      [[{ ...roll, name: ' roll' }], 'validation_failed', '[0].name'],
      [[{ ...roll, id: '1' }], 'validation_failed', '[0].id'],
      [[ping, { name: 'x' }], 'validation_failed', '[1].description'],
      [{}, 'validation_failed', ''],
      [null, 'validation_failed', ''],
    ] as const) {
      const reply = await fixture.bot('PUT', path, body)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.body.code, code)
      assert.equal(reply.body.errors?.[0].path, errorPath)
    }
    assert.deepEqual((await fixture.bot('GET', path)).body, before.body)
    // The limit applies to each set (bots/command-set).
    assert.equal((await fixture.bot('PUT', path, many.slice(1))).status, 200)
  }
})

eachService(
  'GET and PUT server commands 404 if the application was not added to the server',
  async (_t, service) => {
    const fixture = await createFixture(service)
    for (const serverId of [fixture.serverId, '1573634452968439808', 'nonsense', '@me']) {
      const path = `/api/applications/@me/servers/${serverId}/commands`
      for (const reply of [await fixture.bot('GET', path), await fixture.bot('PUT', path, [roll])]) {
        assert.equal(reply.status, 404, serverId)
        assert.equal(reply.body.code, 'not_found')
      }
    }
  },
)

eachService(
  'removing a bot deletes its server commands, also with a concurrent PUT (bots/bot-removed)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const path = `/api/applications/@me/servers/${fixture.serverId}/commands`
    const member = `/api/servers/${fixture.serverId}/members/${fixture.botId}`
    for (let turn = 0; turn < 6; turn++) {
      await fixture.install('bot applications.commands')
      assert.deepEqual((await fixture.bot('GET', path)).body, [])
      const [put, removed] = await Promise.all([
        fixture.bot('PUT', path, [roll, ping]),
        fixture.owner.client.json('DELETE', member),
      ])
      assert.equal(removed.status, 204, removed.text)
      assert.ok(put.status === 200 || put.status === 404, put.text)
      assert.equal((await fixture.bot('GET', path)).status, 404)
    }
  },
)

eachService('GET commands of an application 200: all sets, for its owner', async (_t, service) => {
  const fixture = await createFixture(service)
  const path = `${fixture.path}/commands`
  assert.deepEqual((await fixture.owner.client.get(path)).body, [])
  await fixture.install('bot applications.commands')
  const globalSet = await fixture.bot('PUT', global, [roll, ping])
  const own = `/api/applications/@me/servers/${fixture.serverId}/commands`
  const serverSet = await fixture.bot('PUT', own, [{ ...roll, description: 'Rolls here' }])
  const reply = await fixture.owner.client.get(path)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, [...globalSet.body, ...serverSet.body])
})
