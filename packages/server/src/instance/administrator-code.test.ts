import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eachService, type TestService } from '@gatehouse/testkit/service'

const fileOf = ({ config }: TestService) => join(config.dataDir, 'administrator-code')
const readCode = async (service: TestService) => (await readFile(fileOf(service), 'utf8')).trim()
const post = (service: TestService, username: string, administratorCode?: string) =>
  service.client().json('POST', '/api/auth/register', {
    username,
    email: `${username}@example.org`,
    password: 'correct horse',
    administratorCode,
  })

eachService(
  'of parallel registrations with the code of the first start, one becomes administrator ' +
    '(administration/first-administrator)',
  async (_t, service) => {
    const code = await readCode(service)
    assert.equal((await stat(fileOf(service))).mode & 0o777, 0o600)
    assert.ok(service.log.some(line => line.includes(fileOf(service))))
    assert.ok((await service.client().get('/register')).text.includes('name="administratorCode"'))
    const wrong = await post(service, 'eve', `${code}x`)
    assert.deepEqual(
      [wrong.status, wrong.body.errors[0].path, wrong.body.errors[0].code],
      [400, 'administratorCode', 'wrong_code'],
    )
    const replies = await Promise.all(['ada', 'ben', 'cleo'].map(name => post(service, name, code)))
    const [winner, ...others] = replies.filter(({ status }) => status === 201)
    assert.deepEqual([winner?.body.administrator, others], [true, []])
    const administrators = await service.db.all`SELECT username FROM users WHERE administrator = 1`
    assert.deepEqual(administrators, [{ username: winner?.body.username }])
    const acts = await service.db.all`SELECT action, actor_id, target_id FROM audit_log`
    const { id } = winner?.body ?? {}
    assert.deepEqual(acts, [{ action: 'USER_PROMOTE', actorId: id, targetId: id }])
    while (existsSync(fileOf(service))) await new Promise(resolve => setImmediate(resolve))
    assert.ok(!(await service.client().get('/register')).text.includes('administratorCode'))
    assert.equal((await post(service, 'dan', code)).status, 400)
    for (const line of service.log) assert.ok(!line.includes(code))
  },
)

eachService(
  'a first registration without the code uses it up (administration/first-administrator)',
  async (_t, service) => {
    const code = await readCode(service)
    const first = await post(service, 'ada')
    assert.deepEqual([first.status, first.body.administrator], [201, undefined])
    assert.equal((await post(service, 'ben', code)).status, 400)
    await service.restart()
    assert.equal(existsSync(fileOf(service)), false)
  },
)

eachService(
  'the code replaces the invite that nobody could create, and stays over a restart ' +
    '(administration/first-administrator)',
  async (_t, service) => {
    const code = await readCode(service)
    await service.restart()
    assert.equal(await readCode(service), code)
    assert.equal((await post(service, 'ada')).status, 400)
    assert.equal((await post(service, 'ada', code)).body.administrator, true)
  },
  { env: { REGISTRATION: 'invite' } },
)
