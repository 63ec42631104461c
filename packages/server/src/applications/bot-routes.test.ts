import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import { makeApplication, signUp } from '../oauth/oauth-testing.ts'
import { createFixture } from './applications-testing.ts'

eachService(
  'POST /api/applications/:id/bot 201: the default username is derived from the application name',
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
      assert.equal(reply.headers.get('cache-control'), 'no-store')
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

eachService('POST /api/applications/:id/bot 400, 409', async (_t, service) => {
  const { owner } = await createFixture(service)
  const path = `/api/applications/${(await makeApplication(owner)).id}/bot`
  for (const body of [{ username: 'Dice' }, { username: 'x' }, { username: 7 }, { name: 'x' }, []]) {
    const reply = await owner.client.json('POST', path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.body.code, 'validation_failed')
  }
  for (const taken of ['owner', 'dice']) {
    const reply = await owner.client.json('POST', path, { username: taken })
    assert.equal(reply.status, 409, reply.text)
    assert.equal(reply.body.code, 'conflict')
  }
  assert.equal((await owner.client.json('POST', path, {})).status, 201)
  assert.equal((await owner.client.json('POST', path, {})).status, 409)
})

eachService('exactly one of several concurrent requests creates the bot', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const application = await makeApplication(ada)
  const replies = await Promise.all(
    ['one', 'two', 'three', 'four'].map(username =>
      ada.client.json('POST', `/api/applications/${application.id}/bot`, { username }),
    ),
  )
  assert.deepEqual(replies.map(reply => reply.status).sort(), [201, 409, 409, 409])
  const created = replies.find(reply => reply.status === 201)?.body
  assert.deepEqual((await ada.client.get(`/api/applications/${application.id}`)).body.bot, created.bot)
  const headers = { authorization: `Bot ${created.token}` }
  assert.equal((await service.client().get('/api/users/@me', headers)).body.id, created.bot.id)
  // The usernames of the rejected requests are available.
  const other = await makeApplication(ada)
  const free = ['one', 'two', 'three', 'four'].find(username => username !== created.bot.username)
  const reply = await ada.client.json('POST', `/api/applications/${other.id}/bot`, { username: free })
  assert.equal(reply.status, 201, reply.text)
})

eachService(
  'POST /api/applications/:id/bot/token 200: revokes the old token and its connections (bots/bot-token)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const { owner, path, application, botId } = fixture
    const ended: unknown[] = []
    await service.bus.subscribe(subjects.control(application.id), message => ended.push(message))
    const reset = await owner.client.json('POST', `${path}/bot/token`)
    assert.equal(reset.status, 200, reset.text)
    assert.deepEqual(Object.keys(reset.body), ['token'])
    assert.equal((await fixture.bot('GET', '/api/users/@me')).status, 401)
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

eachService('an application has one bot, whose token is valid until it is reset', async (_t, service) => {
  const { client: ana } = await signUp(service, 'ana')
  const { body } = await ana.json('POST', '/api/applications', { name: 'Dice Roller!', type: 'confidential' })
  const path = `/api/applications/${body.id}/bot`
  assert.equal((await ana.json('POST', `${path}/token`)).status, 404)
  const created = await ana.json('POST', path, { username: 'dice' })
  assert.equal(created.status, 201, created.text)
  assert.match(created.body.token, /^gbt_[0-9A-Za-z]{49}$/)
  assert.equal(created.body.bot.bot, true)
  assert.equal((await ana.json('POST', path, {})).status, 409)

  const bot = { authorization: `Bot ${created.body.token}` }
  const self = await service.client().json('GET', '/api/users/@me', undefined, bot)
  assert.equal(self.status, 200, self.text)
  assert.equal(self.body.username, 'dice')
  const reset = await ana.json('POST', `${path}/token`)
  assert.equal(reset.status, 200)
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, bot)).status, 401)
  const newToken = { authorization: `Bot ${reset.body.token}` }
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, newToken)).status, 200)

  await ana.json('DELETE', `/api/applications/${body.id}`)
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, newToken)).status, 401)
})
