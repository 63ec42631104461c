import assert from 'node:assert/strict'
import { tokensFor } from '../../oauth/testing.ts'
import { eachService } from '../../testing.ts'
import { openConsole } from './testing.ts'

const global = '/api/applications/@me/commands'
const roll = { name: 'roll', description: 'Rolls dice' }
const ping = { name: 'ping', description: 'Answers' }

interface Shown {
  id: string
  name: string
  description: string
  serverId?: string
}

eachService(
  'GET and PUT commands 200, global and of one server, each a set of its own (D27)',
  async (_t, service) => {
    const at = await openConsole(service)
    await at.install('bot applications.commands')
    const own = `/api/applications/@me/servers/${at.serverId}/commands`
    const first = await at.bot('PUT', global, [roll, ping])
    assert.equal(first.status, 200, first.text)
    const second = await at.bot('PUT', own, [{ ...roll, description: 'Rolls here' }])
    assert.equal(second.status, 200, second.text)
    const [everywhere, here]: [string, string] = [first.body[0].id, second.body[0].id]
    const now = new Date(service.clock.now()).toISOString()
    assert.deepEqual(second.body, [
      {
        id: here,
        applicationId: at.application.id,
        serverId: at.serverId,
        name: 'roll',
        description: 'Rolls here',
        options: [],
        createdAt: now,
        updatedAt: now,
      },
    ])
    assert.notEqual(here, everywhere)
    assert.deepEqual((await at.bot('GET', global)).body, first.body)
    assert.deepEqual((await at.bot('GET', own)).body, second.body)

    // On that server its own stands before the global one; elsewhere, and after it is gone, the global one is used.
    const offered = async (): Promise<Shown[]> =>
      (await at.member.client.get(`/api/channels/${at.channelId}/commands`)).body
    const names = async () => (await offered()).map(({ name, description }) => `${name}: ${description}`)
    assert.deepEqual(await names(), ['ping: Answers', 'roll: Rolls here'])
    const use = (commandId: string) =>
      at.member.client.json('POST', '/api/interactions', {
        type: 'command',
        channelId: at.channelId,
        commandId,
        options: [],
      })
    assert.equal((await use(everywhere)).status, 404, 'D52: the global one is shadowed')
    assert.equal((await use(here)).status, 202)
    assert.deepEqual((await at.bot('PUT', own, [])).body, [])
    assert.deepEqual(await names(), ['ping: Answers', 'roll: Rolls dice'])
    assert.equal((await use(everywhere)).status, 202)
    assert.equal((await use(here)).status, 404)
  },
)

eachService('PUT commands 400: a fault leaves the set as it was', async (_t, service) => {
  const at = await openConsole(service)
  await at.install('bot applications.commands')
  for (const path of [global, `/api/applications/@me/servers/${at.serverId}/commands`]) {
    const before = await at.bot('PUT', path, [roll])
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}`, description: 'x' }))
    for (const [body, code, at1] of [
      [many, 'command_limit', undefined],
      [[roll, roll], 'validation_failed', '[1].name'],
      [[{ ...roll, name: 'Roll' }], 'validation_failed', '[0].name'],
      [[{ ...roll, name: ' roll' }], 'validation_failed', '[0].name'],
      [[{ ...roll, id: '1' }], 'validation_failed', '[0].id'],
      [[ping, { name: 'x' }], 'validation_failed', '[1].description'],
      [{}, 'validation_failed', ''],
      [null, 'validation_failed', ''],
    ] as const) {
      const reply = await at.bot('PUT', path, body)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.body.code, code)
      assert.equal(reply.body.errors?.[0].path, at1)
    }
    assert.deepEqual((await at.bot('GET', path)).body, before.body)
    // D52: the limit is of each set.
    assert.equal((await at.bot('PUT', path, many.slice(1))).status, 200)
  }
})

eachService('GET and PUT commands 401 for anybody but a bot', async (_t, service) => {
  const at = await openConsole(service)
  await at.install('bot applications.commands')
  const { access_token } = await tokensFor(service, at.member, at.application)
  for (const path of [global, `/api/applications/@me/servers/${at.serverId}/commands`]) {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', []],
    ] as const) {
      const session = await at.owner.client.json(method, path, body)
      assert.equal(session.status, 401)
      assert.equal(session.headers.get('www-authenticate'), 'Bot')
      for (const authorization of [`Bearer ${access_token}`, `Bot ${access_token}`, 'Bot', 'Bot gbt_x']) {
        const reply = await service.client().json(method, path, body, { authorization })
        assert.equal(reply.status, 401, authorization)
      }
    }
  }
})

eachService(
  'GET and PUT commands of a server 404 where the application was not added',
  async (_t, service) => {
    const at = await openConsole(service)
    for (const serverId of [at.serverId, '1573634452968439808', 'nonsense', '@me']) {
      const path = `/api/applications/@me/servers/${serverId}/commands`
      for (const reply of [await at.bot('GET', path), await at.bot('PUT', path, [roll])]) {
        assert.equal(reply.status, 404, serverId)
        assert.equal(reply.body.code, 'not_found')
      }
    }
  },
)

eachService(
  'a bot that is removed loses the commands of that server, in any order (D53)',
  async (_t, service) => {
    const at = await openConsole(service)
    const path = `/api/applications/@me/servers/${at.serverId}/commands`
    const member = `/api/servers/${at.serverId}/members/${at.botId}`
    for (let turn = 0; turn < 6; turn++) {
      await at.install('bot applications.commands')
      assert.deepEqual((await at.bot('GET', path)).body, [])
      const [put, removed] = await Promise.all([
        at.bot('PUT', path, [roll, ping]),
        at.owner.client.json('DELETE', member),
      ])
      assert.equal(removed.status, 204, removed.text)
      assert.ok(put.status === 200 || put.status === 404, put.text)
      assert.equal((await at.bot('GET', path)).status, 404)
    }
  },
)

eachService('GET commands of an application 200 for its owner, every set of it', async (_t, service) => {
  const at = await openConsole(service)
  const path = `${at.path}/commands`
  assert.deepEqual((await at.owner.client.get(path)).body, [])
  await at.install('bot applications.commands')
  const everywhere = await at.bot('PUT', global, [roll, ping])
  const own = `/api/applications/@me/servers/${at.serverId}/commands`
  const here = await at.bot('PUT', own, [{ ...roll, description: 'Rolls here' }])
  const reply = await at.owner.client.get(path)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, [...everywhere.body, ...here.body])
})

eachService('GET commands of an application 401 and 404 for anybody else', async (_t, service) => {
  const at = await openConsole(service)
  await at.bot('PUT', global, [roll])
  assert.equal((await service.client().get(`${at.path}/commands`)).status, 401)
  for (const { client } of [at.member, at.stranger]) {
    assert.equal((await client.get(`${at.path}/commands`)).status, 404)
  }
  assert.equal((await at.owner.client.get('/api/applications/1573634452968439808/commands')).status, 404)
})
