import assert from 'node:assert/strict'
import type { AdminUser } from '@gatehouse/protocol/administration'
import type { SelfUser } from '@gatehouse/protocol/users'
import { createOperator, setDisabled } from '@gatehouse/testkit/administration'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { addTotp, totpCode } from '../accounts/second-factor/second-factor-testing.ts'
import { password } from '../accounts/users/users-testing.ts'
import { compose } from '../compose.ts'
import { connectUser, createBot } from '../gateway/gateway-testing.ts'
import { createLogger } from '../http/log.ts'

const tenMinutes = 600_000

/** The acts in the audit log of the instance, oldest first. */
function listActs({ db }: TestService) {
  return db.all<{ action: string; actorId: string | null; targetId: string; reason: string | null }>`
    SELECT action, actor_id, target_id, reason FROM audit_log WHERE server_id = '' ORDER BY id`
}

eachService('lists people, newest first, in pages (administration/search)', async (_t, service) => {
  const operator = await createOperator(service)
  for (const name of ['ada', 'ben', 'cleo']) await register(service, name)
  await createBot(service)
  const list = async (query: string): Promise<string[]> => {
    const { body } = await operator.client.get(`/api/admin/users?${query}`)
    return body.map(({ username }: AdminUser) => username)
  }
  assert.deepEqual(await list(''), ['developer', 'cleo', 'ben', 'ada', 'operator'])
  const [, cleo] = (await operator.client.get('/api/admin/users')).body
  assert.deepEqual(await list(`limit=2&before=${cleo.id}`), ['ben', 'ada'])
})

eachService(
  'finds users by id, and by a part of a name or address (administration/search)',
  async (_t, service) => {
    const operator = await createOperator(service)
    const ada = await register(service, 'ada_l', undefined, { displayName: 'Countess 100%' })
    await register(service, 'adam', undefined, { displayName: 'Елена' })
    const find = async (query: string): Promise<string[]> => {
      const { body } = await operator.client.get(`/api/admin/users?query=${encodeURIComponent(query)}`)
      return body.map(({ username }: AdminUser) => username)
    }
    assert.deepEqual(await find(ada.id), ['ada_l'])
    assert.deepEqual(await find('ADA'), ['adam', 'ada_l'])
    assert.deepEqual(await find('Ada_L@Example'), ['ada_l'])
    assert.deepEqual(await find('countESS'), ['ada_l'])
    assert.deepEqual(await find('Еле'), ['adam'])
    // No pattern.
    assert.deepEqual(await find('0%'), ['ada_l'])
    assert.deepEqual(await find('a_m'), [])
    assert.deepEqual(await find('nobody'), [])
  },
)

eachService(
  'shows the sessions, last use and servers of a user, also of a disabled one (administration/user-details)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const { server } = await createServer(ada)
    await setDisabled(operator, ada, true)
    const { status, body } = await operator.client.get(`/api/admin/users/${ada.id}`)
    assert.equal(status, 200)
    const { sessions, ...user } = body
    const now = new Date(service.clock.now()).toISOString()
    assert.deepEqual(user, {
      id: ada.id,
      username: 'ada',
      displayName: 'ada',
      avatar: `/images/users/${ada.id}/default`,
      bot: false,
      email: ada.email,
      emailVerified: false,
      administrator: false,
      disabledAt: now,
      createdAt: now,
      secondFactor: false,
      lastSeenAt: now,
      servers: [{ id: server.id, name: 'Server' }],
    })
    assert.deepEqual(
      sessions.map(({ current, lastUsedAt }: { current: boolean; lastUsedAt: string }) => [
        current,
        lastUsedAt,
      ]),
      [[false, now]],
    )
    const bot = await createBot(service)
    assert.equal((await operator.client.get(`/api/admin/users/${bot.userId}`)).status, 404)
    assert.equal((await operator.client.get('/api/admin/users/1000000000000000001')).status, 404)
  },
)

eachService(
  'each act is in the audit log of the instance once, with its reason (administration/audit-log)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const path = `/api/admin/users/${ada.id}`
    const reason = { 'x-audit-log-reason': encodeURIComponent('спам') }
    for (const body of [{ disabled: true }, { disabled: true }, {}])
      assert.equal((await operator.client.json('PATCH', path, body, reason)).status, 200)
    const both = await operator.client.json('PATCH', path, { disabled: false, administrator: true })
    assert.deepEqual([both.body.disabledAt, both.body.administrator], [null, true])
    await operator.client.json('PATCH', path, { administrator: false })
    assert.equal((await operator.client.json('DELETE', `${path}/sessions`, {})).status, 204)
    const acts = await listActs(service)
    assert.deepEqual(
      acts.map(act => [act.action, act.reason]),
      [
        ['USER_DISABLE', 'спам'],
        ['USER_ENABLE', null],
        ['USER_PROMOTE', null],
        ['USER_DEMOTE', null],
        ['USER_SESSIONS_END', null],
      ],
    )
    for (const { actorId, targetId } of acts) assert.deepEqual([actorId, targetId], [operator.id, ada.id])
  },
)

eachService(
  'confirms an address once, and an earlier link is then invalid (administration/confirm-email)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const connection = await connectUser(service, ada)
    const path = `/api/admin/users/${ada.id}`
    assert.equal((await operator.client.json('PATCH', path, { emailVerified: false })).status, 400)
    for (let each = 0; each < 2; each++) {
      const reply = await operator.client.json('PATCH', path, { emailVerified: true })
      assert.deepEqual([reply.status, reply.body.emailVerified], [200, true])
    }
    const { t, d } = await connection.nextDispatch()
    assert.deepEqual([t, (d as Partial<SelfUser>).emailVerified], ['USER_UPDATE', true])
    assert.deepEqual(
      (await listActs(service)).map(({ action, targetId }) => [action, targetId]),
      [['USER_EMAIL_CONFIRM', ada.id]],
    )
    const token = service.mails.flatMap(({ to, text }) =>
      to === ada.email ? (/verify-email\?token=(\S+)/.exec(text)?.[1] ?? []) : [],
    )[0]
    const used = await service.client().json('POST', '/api/auth/email/verify', { token })
    assert.equal(used.body.errors[0].path, 'token')
  },
)

eachService(
  'resets the second factor of a user, whose sessions remain (administration/reset-second-factor)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada', password)]
    await addTotp(service, ada.client)
    assert.equal((await operator.client.get(`/api/admin/users/${ada.id}`)).body.secondFactor, true)
    const path = `/api/admin/users/${ada.id}/second-factor`
    const reason = { 'x-audit-log-reason': 'lost' }
    for (let each = 0; each < 2; each++) {
      assert.equal((await operator.client.json('DELETE', path, {}, reason)).status, 204)
    }
    assert.equal((await ada.client.get('/api/users/@me')).status, 200)
    const login = { login: 'ada', password: ada.password }
    assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
    assert.deepEqual(
      (await listActs(service)).map(act => [act.action, act.reason]),
      [['USER_SECOND_FACTOR_RESET', 'lost']],
    )
    const isAboutReset = ({ to, subject }: { to: string; subject: string }) =>
      to === ada.email && subject === 'The second factor was removed'
    assert.equal(service.mails.filter(isAboutReset).length, 1)
  },
)

eachService('ends the sessions of a user at once (administration/end-sessions)', async (_t, service) => {
  const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
  const connection = await connectUser(service, ada)
  const reply = await operator.client.json('DELETE', `/api/admin/users/${ada.id}/sessions`, {})
  assert.equal(reply.status, 204)
  assert.deepEqual(await connection.closed, { code: 4004, reason: 'signed_out' })
  assert.equal((await ada.client.get('/api/users/@me')).status, 401)
  const login = { login: 'ada', password: ada.password }
  assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
})

eachService(
  'an act needs the password ten minutes after the sign-in, or the second factor (administration/proof)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service, password), await register(service, 'ada')]
    const path = `/api/admin/users/${ada.id}`
    const acts = [
      ['PATCH', path, { disabled: true }] as const,
      ['DELETE', `${path}/sessions`, {}] as const,
      ['DELETE', `${path}/second-factor`, {}] as const,
    ]
    const each = <Value>(value: Value) => acts.map(() => value)
    const act = async (proof: object) => {
      const errors: (string | undefined)[] = []
      for (const [method, url, body] of acts) {
        const reply = await operator.client.json(method, url, { ...body, ...proof })
        errors.push(reply.body?.errors?.[0] && `${reply.body.errors[0].path} ${reply.body.errors[0].code}`)
      }
      return errors
    }
    service.clock.advance(tenMinutes)
    assert.deepEqual(await act({}), each('currentPassword required'))
    assert.deepEqual(await act({ currentPassword: 'wrong' }), each('currentPassword wrong_password'))
    assert.deepEqual(await listActs(service), [])
    assert.deepEqual(await act({ currentPassword: operator.password }), each(undefined))
    const { secret } = await addTotp(service, operator.client)
    service.clock.advance(tenMinutes)
    assert.deepEqual(await act({ currentPassword: operator.password }), each('code required'))
    assert.deepEqual(await act({ code: '000000' }), each('code wrong_code'))
    const reply = await operator.client.json('PATCH', path, {
      disabled: false,
      code: await totpCode(service, secret),
    })
    assert.deepEqual([reply.status, reply.body.disabledAt], [200, null])
  },
)

eachService(
  'the last enabled administrator can be neither demoted nor disabled (administration/last-administrator)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const change = async (id: string, body: object) =>
      (await operator.client.json('PATCH', `/api/admin/users/${id}`, body)).status
    for (const body of [{ administrator: false }, { disabled: true }])
      assert.equal(await change(operator.id, body), 409)
    assert.equal(await change(ada.id, { administrator: true, disabled: true }), 200)
    assert.equal(await change(operator.id, { administrator: false }), 409)
    assert.equal((await listActs(service)).length, 2)
    assert.equal(await change(ada.id, { disabled: false }), 200)
    assert.equal(await change(operator.id, { administrator: false }), 200)
    assert.equal(await change(ada.id, { administrator: false }), 404)
  },
)

eachService(
  'of two administrators who act at the same time, one stays (administration/last-administrator)',
  async (_t, service) => {
    const [first, second] = [await createOperator(service), await register(service, 'ada')]
    const administrators = [first, second]
    const others = [second, first]
    const acts = [
      { of: administrators, body: { administrator: false } },
      { of: administrators, body: { disabled: true } },
      { of: others, body: { administrator: false } },
      { of: others, body: { disabled: true } },
    ]
    for (const { of, body } of acts) {
      await service.db.run`UPDATE users SET administrator = 1, disabled_at = NULL`
      const replies = await Promise.all(
        administrators.map(({ client }, index) =>
          client.json('PATCH', `/api/admin/users/${of[index]?.id}`, body),
        ),
      )
      assert.equal(replies.filter(({ status }) => status === 200).length, 1, JSON.stringify(replies))
      const left = await service.db.all`SELECT id FROM users WHERE administrator = 1 AND disabled_at IS NULL`
      assert.equal(left.length, 1)
    }
  },
)

eachService(
  'a new administrator learns it at once, and only in a session (administration/administrators)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const connection = await connectUser(service, ada)
    const path = `/api/admin/users/${ada.id}`
    assert.equal((await operator.client.json('PATCH', path, { administrator: true })).status, 200)
    const { t, d } = await connection.nextDispatch()
    assert.deepEqual([t, (d as Partial<SelfUser>).administrator], ['USER_UPDATE', true])
    assert.equal((await ada.client.get('/api/users/@me')).body.administrator, true)
    const ben = await register(service, 'ben')
    const { general } = await createServer(ada, ben)
    await ada.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'Hello' })
    const { text } = await ben.client.get(`/api/channels/${general.id}/messages`)
    assert.ok(!text.includes('administrator'), text)
  },
)

eachService(
  'a command of the operator has no limit, and is recorded without an actor (administration/audit-log)',
  async (_t, service) => {
    const operator = await createOperator(service)
    const command = await compose(service.config, createLogger('silent'), { clock: service.clock.now })
    const { adminUsers } = command.parts
    await adminUsers.updateByOperator(operator.email, { administrator: false })
    await adminUsers.updateByOperator('operator', { disabled: true })
    await adminUsers.endSessionsByOperator('operator')
    // Without a second factor there is nothing to reset.
    await adminUsers.resetSecondFactorByOperator('operator')
    await assert.rejects(adminUsers.updateByOperator('nobody', { disabled: true }), { code: 'not_found' })
    await command.close()
    const acts = await listActs(service)
    assert.deepEqual(
      acts.map(({ action, actorId }) => [action, actorId]),
      [
        ['USER_DEMOTE', null],
        ['USER_DISABLE', null],
        ['USER_SESSIONS_END', null],
      ],
    )
  },
)

eachService(
  'a user who is no administrator gets 404, also with an invalid body (administration/api)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    for (const body of [{ disabled: true }, { disabled: 'yes' }]) {
      const reply = await ada.client.json('PATCH', `/api/admin/users/${operator.id}`, body)
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'])
    }
    const reply = await operator.client.json('PATCH', `/api/admin/users/${ada.id}`, { disabled: 'yes' })
    assert.equal(reply.status, 400)
  },
)
