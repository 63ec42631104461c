import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { requestsPerRound, rounds, sendAround } from '@gatehouse/testkit/races'
import { eachService, startNodes, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  assertError,
  authorizePath,
  bindServer,
  codeFor,
  exchangeCode,
  giveRole,
  locationOf,
  makeApplication,
  readLogoutToken,
  refresh,
  signUp,
  startLogoutReceiver,
  type TestApplication,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const allowLoopback = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

/** Ada owns a server and an application for those of its members who have the role. Ben and Cem have it. */
interface World {
  service: TestService
  ada: TestUser
  ben: TestUser
  cem: TestUser
  serverId: string
  role: string
  app: TestApplication
}

async function setUp(service: TestService, backchannelLogoutUri?: string): Promise<World> {
  const [ada, ben, cem] = [
    await signUp(service, 'ada'),
    await signUp(service, 'ben'),
    await signUp(service, 'cem'),
  ]
  const { server } = await createServer(ada, ben, cem)
  const role = await giveRole(ada, server.id, 'Player', ben, cem)
  const app = await makeApplication(ada, backchannelLogoutUri === undefined ? {} : { backchannelLogoutUri })
  await bindServer(ada, app, { id: server.id, membersOnly: true, requiredRoles: [role] })
  return { service, ada, ben, cem, serverId: server.id, role, app }
}

/** The page for a user who is not admitted. */
function isRefusal({ text }: TestResponse): boolean {
  return text.includes('You cannot sign in with this account')
}

/** Makes Ben a member with the role again. */
async function readmit({ ada, ben, serverId, role }: World): Promise<void> {
  await ada.client.json('DELETE', `/api/servers/${serverId}/bans/${ben.id}`)
  const { code } = await ada.client.call('createInvite', { id: serverId })
  await ben.client.json('POST', `/api/invites/${code}`)
  await ada.client.call('addMemberRole', { id: serverId, userId: ben.id, roleId: role })
}

const losses = {
  'a member is kicked': ({ ada, ben, serverId }: World) =>
    ada.client.call('removeMember', { id: serverId, userId: ben.id }),
  'a member leaves': ({ ben, serverId }: World) =>
    ben.client.call('removeMember', { id: serverId, userId: '@me' }),
  'a member is banned': ({ ada, ben, serverId }: World) =>
    ada.client.json('PUT', `/api/servers/${serverId}/bans/${ben.id}`, {}),
  'a member loses the last required role': ({ ada, ben, serverId, role }: World) =>
    ada.client.call('removeMemberRole', { id: serverId, userId: ben.id, roleId: role }),
}

for (const [name, lose] of Object.entries(losses)) {
  eachService(
    `sign-in/members-only: if ${name}, codes and tokens for this user end, and the client is notified`,
    async (t, service) => {
      const receiver = await startLogoutReceiver(t)
      const world = await setUp(service, receiver.uri)
      const { ada, ben, cem, app } = world
      const scope = { scope: 'openid identify' }
      const first = await tokensFor(service, ben, app, scope)
      const { body: tokens } = await refresh(service, app, first.refresh_token)
      const code = await codeFor(ben, app, scope)
      const ofCem = await tokensFor(service, cem, app, scope)
      const elsewhere = await makeApplication(ada)
      const other = await tokensFor(service, ben, elsewhere)
      await lose(world)

      assert.equal((await userinfo(service, tokens.access_token)).status, 401)
      assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
      assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
      assert.equal((await userinfo(service, ofCem.access_token)).status, 200)
      assert.equal((await userinfo(service, other.access_token)).status, 200)
      await receiver.waitForRequests(1)
      const claims = await readLogoutToken(service, receiver.requests[0]?.body, app.id)
      assert.equal(claims.sub, ben.id)

      await readmit(world)
      assert.equal((await userinfo(service, tokens.access_token)).status, 401)
      const again = locationOf(await ben.client.get(authorizePath(app, scope)))
      const code2 = again.searchParams.get('code') ?? ''
      assert.equal((await exchangeCode(service, app, code2)).status, 200, 'the consent remains')
      assert.equal((await refresh(service, app, ofCem.refresh_token)).status, 200)
      assert.equal(receiver.requests.length, 1)
    },
    allowLoopback,
  )
}

const changes = {
  'the required role is deleted': ({ ada, serverId, role }: World) =>
    ada.client.call('deleteRole', { id: serverId, roleId: role }),
  'the server is deleted': ({ ada, serverId }: World) => ada.client.call('deleteServer', { id: serverId }),
  'the required roles change': ({ ada, app, serverId }: World) =>
    bindServer(ada, app, { id: serverId, membersOnly: true }),
  'the application is for everybody': ({ ada, app, serverId, role }: World) =>
    bindServer(ada, app, { id: serverId, requiredRoles: [role] }),
  'the binding is removed': ({ ada, app }: World) => bindServer(ada, app, null),
}

for (const [name, change] of Object.entries(changes)) {
  eachService(
    `sign-in/members-only: if ${name}, codes and tokens for all users end with one row, and the client is notified`,
    async (t, service) => {
      const receiver = await startLogoutReceiver(t)
      const world = await setUp(service, receiver.uri)
      const { ada, ben, cem, app } = world
      const scope = { scope: 'openid identify' }
      const all = [await tokensFor(service, ben, app, scope), await tokensFor(service, cem, app, scope)]
      const code = await codeFor(cem, app, scope)
      const other = await tokensFor(service, ben, await makeApplication(ada))
      await service.db.run`DELETE FROM grant_revocations`
      await change(world)

      for (const tokens of all) {
        assert.equal((await userinfo(service, tokens.access_token)).status, 401)
        assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
      }
      assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
      assert.equal((await userinfo(service, other.access_token)).status, 200)
      const rows = await service.db.all`SELECT user_id, application_id FROM grant_revocations`
      assert.deepEqual(rows, [{ userId: '', applicationId: app.id }])
      await receiver.waitForRequests(2)
      const subjects = await Promise.all(
        receiver.requests.map(async ({ body }) => (await readLogoutToken(service, body, app.id)).sub),
      )
      assert.deepEqual(subjects.toSorted(), [ben.id, cem.id].toSorted())
    },
    allowLoopback,
  )
}

eachService(
  'sign-in/members-only: tokens remain if another required role remains, and if the binding is sent unchanged',
  async (_t, service) => {
    const { ada, ben, serverId, role, app } = await setUp(service)
    const [second, unrelated] = [
      await giveRole(ada, serverId, 'Helper', ben),
      await giveRole(ada, serverId, 'Friend', ben),
    ]
    const binding = { id: serverId, membersOnly: true }
    await bindServer(ada, app, { ...binding, requiredRoles: [role, second] })
    const { access_token: token } = await tokensFor(service, ben, app)
    await bindServer(ada, app, { ...binding, requiredRoles: [second, role], groups: [{ roleId: role }] })
    for (const roleId of [unrelated, role]) {
      await ada.client.call('removeMemberRole', { id: serverId, userId: ben.id, roleId })
      assert.equal((await userinfo(service, token)).status, 200)
    }
    await ada.client.call('removeMemberRole', { id: serverId, userId: ben.id, roleId: second })
    assert.equal((await userinfo(service, token)).status, 401)
  },
)

eachService(
  'sign-in/server-binding: without membersOnly, tokens remain when the membership, the role or the server ends',
  async (_t, service) => {
    const world = await setUp(service)
    const { ada, ben, serverId, role, app } = world
    await bindServer(ada, app, { id: serverId, requiredRoles: [role] })
    const { access_token: token } = await tokensFor(service, ben, app)
    await ada.client.call('removeMember', { id: serverId, userId: ben.id })
    await ada.client.call('deleteRole', { id: serverId, roleId: role })
    await ada.client.call('deleteServer', { id: serverId })
    assert.equal((await userinfo(service, token)).status, 200)
  },
)

// Races.

for (const name of ['a member is kicked', 'a member loses the last required role'] as const) {
  eachService(
    `200 authorizations and exchanges while ${name}: no token works after it (sign-in/members-only)`,
    async (_t, service) => {
      const world = await setUp(service)
      const { ben, app } = world
      const authorizeAndExchange = async () => {
        const reply = await ben.client.get(authorizePath(app))
        const code = reply.status === 303 ? locationOf(reply).searchParams.get('code') : null
        return code === null ? reply : exchangeCode(service, app, code)
      }
      await tokensFor(service, ben, app)
      for (let round = 0; round < rounds; round++) {
        const replies = await sendAround(round, authorizeAndExchange, () => losses[name](world))
        await Promise.all(
          replies.map(async reply => {
            if (isRefusal(reply)) return
            if (reply.status !== 200) {
              assert.equal(reply.body.error, 'invalid_grant', reply.text)
              return
            }
            assert.equal((await userinfo(service, reply.body.access_token)).status, 401)
            assertError(await refresh(service, app, reply.body.refresh_token), 400, 'invalid_grant')
          }),
        )
        assert.ok(isRefusal(await ben.client.get(authorizePath(app))))
        await readmit(world)
      }
    },
    { env: { RATE_LIMITS: 'off' } },
  )
}

eachService(
  '200 exchanges while a member loses the last required role: a client that got an ID token is notified',
  async (t, service) => {
    const receiver = await startLogoutReceiver(t)
    const world = await setUp(service, receiver.uri)
    const { ben, app } = world
    const scope = { scope: 'openid' }
    let notified = 0
    for (let round = 0; round < rounds; round++) {
      const codes = [await codeFor(ben, app, scope)]
      while (codes.length < requestsPerRound) codes.push(await codeFor(ben, app, scope))
      const exchange = (index: number) => exchangeCode(service, app, codes[index] ?? '')
      const replies = await sendAround(round, exchange, () =>
        losses['a member loses the last required role'](world),
      )
      if (replies.some(({ status }) => status === 200)) notified++
      await receiver.waitForRequests(notified)
      assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [])
      await readmit(world)
    }
    assert.equal(receiver.requests.length, notified)
  },
  { env: { ...allowLoopback.env, RATE_LIMITS: 'off' } },
)

eachService(
  'sign-in/members-only: a member who loses both required roles at the same time is signed out',
  async (_t, service) => {
    const { ada, ben, serverId, role, app } = await setUp(service)
    const second = await giveRole(ada, serverId, 'Helper', ben)
    await bindServer(ada, app, { id: serverId, membersOnly: true, requiredRoles: [role, second] })
    const held = [role, second].map(roleId => ({ id: serverId, userId: ben.id, roleId }))
    for (let round = 0; round < rounds; round++) {
      const tokens = await tokensFor(service, ben, app)
      await Promise.all(held.map(one => ada.client.call('removeMemberRole', one)))
      assert.equal((await userinfo(service, tokens.access_token)).status, 401)
      for (const one of held) await ada.client.call('addMemberRole', one)
    }
  },
)

test('sign-in/members-only: who loses the membership or a role on one node is out on the other at once', async t => {
  const nodes = await startNodes(t)
  if (nodes === undefined) return
  const [first, second] = nodes
  const world = await setUp(first)
  const { ben, app } = world
  for (const name of ['a member is kicked', 'a member loses the last required role'] as const) {
    const client = second.client()
    await client.json('POST', '/api/auth/login', { login: ben.username, password: ben.password })
    const tokens = await tokensFor(second, { ...ben, client }, app)
    const code = await codeFor({ ...ben, client }, app)
    await losses[name](world)
    assert.equal((await userinfo(second, tokens.access_token)).status, 401)
    assertError(await refresh(second, app, tokens.refresh_token), 400, 'invalid_grant')
    assertError(await exchangeCode(second, app, code), 400, 'invalid_grant')
    assert.ok(isRefusal(await client.get(authorizePath(app))))
    await readmit(world)
  }
})
