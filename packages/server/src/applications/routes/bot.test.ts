import assert from 'node:assert/strict'
import { makeApplication, signUp } from '../../oauth/testing.ts'
import { subjects } from '../../platform/events.ts'
import { eachService } from '../../testing.ts'
import { assertOwnerAlone, openConsole } from './testing.ts'

eachService(
  'POST /api/applications/:id/bot 201: a bot has a name of its own, or one made of the application’s',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    for (const [name, expected] of [
      ['Dice Roller!', /^diceroller_\d{8}$/],
      ['Бот', /^bot_\d{8}$/],
      ['x'.repeat(64), /^x{20}_\d{8}$/],
    ] as const) {
      const application = await makeApplication(ada, { name })
      const reply = await ada.client.json('POST', `/api/applications/${application.id}/bot`, {})
      assert.equal(reply.status, 201, reply.text)
      assert.deepEqual(Object.keys(reply.body).sort(), ['bot', 'token'])
      const { bot } = reply.body
      assert.match(bot.username, expected)
      assert.equal(bot.displayName, name.slice(0, 32))
      assert.equal(bot.bot, true)
      assert.equal((await service.client().get(bot.avatar)).status, 200)
      assert.deepEqual((await ada.client.get(`/api/applications/${application.id}`)).body.bot, bot)
    }
  },
)

eachService('POST /api/applications/:id/bot 400, 401, 403, 404, 409', async (_t, service) => {
  const at = await openConsole(service)
  const { owner } = at
  const path = `/api/applications/${(await makeApplication(owner)).id}/bot`
  for (const body of [{ username: 'Dice' }, { username: 'x' }, { username: 7 }, { name: 'x' }, []]) {
    const reply = await owner.client.json('POST', path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.body.code, 'validation_failed')
  }
  await assertOwnerAlone(at, service, (client, headers) => client.json('POST', path, {}, headers))
  for (const taken of ['owner', 'dice']) {
    const reply = await owner.client.json('POST', path, { username: taken })
    assert.equal(reply.status, 409, reply.text)
    assert.equal(reply.body.code, 'conflict')
  }
  assert.equal((await owner.client.json('POST', path, {})).status, 201)
  assert.equal((await owner.client.json('POST', path, {})).status, 409)
})

eachService('of bots made at once for one application one is made', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const application = await makeApplication(ada)
  const replies = await Promise.all(
    ['one', 'two', 'three', 'four'].map(username =>
      ada.client.json('POST', `/api/applications/${application.id}/bot`, { username }),
    ),
  )
  assert.deepEqual(replies.map(reply => reply.status).sort(), [201, 409, 409, 409])
  const made = replies.find(reply => reply.status === 201)?.body
  assert.deepEqual((await ada.client.get(`/api/applications/${application.id}`)).body.bot, made.bot)
  const headers = { authorization: `Bot ${made.token}` }
  assert.equal((await service.client().get('/api/users/@me', headers)).body.id, made.bot.id)
  // Those that were refused keep no username.
  const other = await makeApplication(ada)
  const free = ['one', 'two', 'three', 'four'].find(username => username !== made.bot.username)
  const reply = await ada.client.json('POST', `/api/applications/${other.id}/bot`, { username: free })
  assert.equal(reply.status, 201, reply.text)
})

eachService(
  'D25: POST /api/applications/:id/bot/token 200: the old token ends, its connections are told, the new one is shown once',
  async (_t, service) => {
    const at = await openConsole(service)
    const { owner, path, application, botId } = at
    const ended: unknown[] = []
    await service.bus.subscribe(subjects.control(application.id), message => ended.push(message))
    const reset = await owner.client.json('POST', `${path}/bot/token`)
    assert.equal(reset.status, 200, reset.text)
    assert.deepEqual(Object.keys(reset.body), ['token'])
    assert.equal((await at.bot('GET', '/api/users/@me')).status, 401)
    const headers = { authorization: `Bot ${reset.body.token}` }
    assert.equal((await service.client().get('/api/users/@me', headers)).body.id, botId)
    assert.deepEqual(ended, [{ reason: 'token_reset' }])
    assert.equal(service.log.join('').includes(reset.body.token), false)
    for (const again of [path, '/api/applications']) {
      const { text } = await owner.client.get(again)
      assert.ok(text.includes(botId))
      assert.doesNotMatch(text, /gbt_/)
    }
  },
)

eachService('POST /api/applications/:id/bot/token 401, 403, 404', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, path } = at
  await assertOwnerAlone(at, service, (client, headers) =>
    client.json('POST', `${path}/bot/token`, undefined, headers),
  )
  assert.equal((await at.bot('GET', '/api/users/@me')).status, 200)
  const without = await makeApplication(owner)
  assert.equal((await owner.client.json('POST', `/api/applications/${without.id}/bot/token`)).status, 404)
})
