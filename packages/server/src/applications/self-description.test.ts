import assert from 'node:assert/strict'
import type { SecurityLogEntry } from '@gatehouse/protocol/security-log'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { gif, png } from '@gatehouse/testkit/images'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'

const pngUri = `data:image/png;base64,${png.toString('base64')}`
const gifUri = `data:image/gif;base64,${gif.toString('base64')}`

async function setUp(service: TestService) {
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server } = await createServer(owner, ann)
  const application = await createBotApplication(owner.client, { name: 'Helper' }, { username: 'helper' })
  const { applicationId, token } = application
  await addBot(owner.client, applicationId, server.id, 0n)
  const client = service.client()
  const authorization = `Bot ${token}`
  const update = (body: unknown) => client.json('PATCH', '/api/applications/@me', body, { authorization })
  const findMember = async () =>
    (await ann.client.get(`/api/servers/${server.id}/members/${application.botId}`)).body.user
  const listLog = async () =>
    (await owner.client.request<SecurityLogEntry[]>('GET', '/api/users/@me/security-log')).filter(
      ({ kind }) => kind === 'BOT_UPDATE',
    )
  return { service, owner, ann, server, applicationId, update, findMember, listLog, client }
}

eachService(
  'PATCH /api/applications/@me 200: a bot changes its name, avatar and description (bots/self-description)',
  async (_t, service) => {
    const { owner, applicationId, update, findMember, listLog, client } = await setUp(service)
    const before = await findMember()
    const reply = await update({ displayName: ' Poll taker ', avatar: pngUri, description: 'Asks' })
    assert.equal(reply.status, 200, reply.text)
    const { bot } = reply.body
    assert.deepEqual(await findMember(), bot)
    assert.deepEqual([bot.displayName, bot.username], ['Poll taker', 'helper'])
    assert.notEqual(bot.avatar, before.avatar)
    assert.equal((await client.get(bot.avatar)).headers.get('content-type'), 'image/png')
    const application = (await owner.client.get(`/api/applications/${applicationId}`)).body
    // Neither name nor icon of the application.
    assert.deepEqual([application.name, application.icon, application.description], ['Helper', null, 'Asks'])
    const [entry, ...others] = await listLog()
    assert.deepEqual([entry?.applicationId, entry?.targetName, entry?.ip], [applicationId, 'Helper', null])
    assert.deepEqual(others, [])

    // The image of the bot is deleted with it.
    assert.deepEqual((await update({ avatar: null })).body.bot, { ...bot, avatar: before.avatar })
    await update({ avatar: gifUri })
    await owner.client.request('DELETE', `/api/applications/${applicationId}`)
    assert.deepEqual(await service.db.all`SELECT owner_id FROM images WHERE kind = 'users'`, [])
  },
)

eachService(
  'the owner gets a mail about a description, without its text (bots/self-description)',
  async (_t, service) => {
    const { owner, update } = await setUp(service)
    await service.db.run`UPDATE users SET email_verified = 1 WHERE id = ${owner.id}`
    const listMails = () => service.mails.filter(({ subject }) => subject.includes('description'))
    assert.equal((await update({ displayName: 'Other' })).status, 200)
    assert.equal((await update({ description: 'Buy now at https://evil.example' })).status, 200)
    await waitUntil(() => listMails().length > 0, 'a mail')
    const [mail, ...others] = listMails()
    assert.equal(mail?.to, owner.email)
    assert.match(mail?.text ?? '', /Helper/)
    assert.doesNotMatch(mail?.text ?? '', /evil/)
    assert.deepEqual(others, [])
  },
)

eachService(
  'PATCH /api/applications/@me 400: the rules of names and images hold, and change nothing',
  async (_t, service) => {
    const { update, findMember, listLog } = await setUp(service)
    const before = await findMember()
    const wrong = [
      { displayName: '\u200b\u202e' },
      { displayName: 'x'.repeat(33) },
      { avatar: 'https://example.org/a.png' },
      { displayName: 'Other', avatar: 'data:image/png;base64,AAAA' },
      { username: 'other' },
      { name: 'Other' },
      { icon: pngUri },
    ]
    for (const body of wrong) {
      const reply = await update(body)
      assert.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], reply.text)
    }
    assert.deepEqual(await findMember(), before)
    assert.deepEqual(await listLog(), [])
  },
)

eachService(
  'PATCH /api/applications/@me 429: the third change of an hour; what stays does not count (limits/rates)',
  async (_t, service) => {
    const { update, listLog } = await setUp(service)
    assert.equal((await update({ displayName: 'One', avatar: pngUri })).status, 200)
    for (let i = 0; i < 5; i++) {
      const same = await update({ displayName: 'One', avatar: pngUri, description: '' })
      assert.equal(same.status, 200, same.text)
      assert.equal((await update({ displayName: '' })).status, 400)
    }
    assert.equal((await update({ displayName: 'Two' })).status, 200)
    const third = await update({ displayName: 'Three' })
    assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '3600'])
    service.clock.advance(3_600_000)
    assert.equal((await update({ displayName: 'Three' })).status, 200)
    assert.equal((await listLog()).length, 3)
  },
  { env: { RATE_LIMITS: 'on' } },
)
