import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import {
  authorizePath,
  bindServer,
  codeFor,
  exchangeCode,
  giveRole,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const scope = { scope: 'openid identify groups' }

/** Roles from the highest to the lowest: the older one of two with the same position is higher. */
async function setUp(service: TestService) {
  const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
  const { server } = await createServer(ada, ben)
  const roles = {
    lead: await giveRole(ada, server.id, 'Lead player', ben),
    helper: await giveRole(ada, server.id, 'Helper', ben),
    crew: await giveRole(ada, server.id, 'Crew'),
    player: await giveRole(ada, server.id, 'Player', ben),
  }
  const app = await makeApplication(ada)
  const groups = [
    { roleId: roles.player, value: 'Players' },
    { roleId: roles.helper, value: 'staff' },
    { roleId: roles.crew, value: 'staff' },
    { roleId: roles.lead },
  ]
  await bindServer(ada, app, { id: server.id, groups, groupsClaim: 'roles' })
  return { ada, ben, serverId: server.id, roles, app, groups }
}

async function readClaims(service: TestService, user: TestUser, app: Parameters<typeof tokensFor>[2]) {
  const tokens = await tokensFor(service, user, app, scope)
  const { groups, roles } = decodeJwt(tokens.id_token ?? '')
  const { body } = await userinfo(service, tokens.access_token)
  assert.deepEqual([body.groups, body.roles], [groups, roles])
  return groups
}

eachService(
  'sign-in/groups: the ID token and userinfo have the groups of the roles, from the highest, under both names',
  async (_t, service) => {
    const { ada, ben, serverId, roles, app } = await setUp(service)
    await ada.client.call('addMemberRole', { id: serverId, userId: ben.id, roleId: roles.crew })
    const tokens = await tokensFor(service, ben, app, scope)
    assert.equal(tokens.scope, scope.scope)
    const claims = decodeJwt(tokens.id_token ?? '')
    const expected = ['lead-player', 'staff', 'Players']
    assert.deepEqual([claims.groups, claims.roles], [expected, expected])

    // The highest role has changed, and is the first from now on.
    const body = { position: 7 }
    await ada.client.call('updateRole', { id: serverId, roleId: roles.player, body })
    const now = ['Players', 'lead-player', 'staff']
    const info = (await userinfo(service, tokens.access_token)).body
    assert.deepEqual([info.groups, info.roles], [now, now])
    const refreshed = (await refresh(service, app, tokens.refresh_token)).body
    assert.deepEqual(decodeJwt(refreshed.id_token).groups, now)
  },
)

eachService(
  'sign-in/groups: the list is empty without roles, for others than members, and without the authority of the owner',
  async (_t, service) => {
    const { ada, ben, serverId, roles, app, groups } = await setUp(service)
    assert.deepEqual(await readClaims(service, ada, app), [])
    assert.deepEqual(await readClaims(service, await signUp(service, 'eve'), app), [])
    await ada.client.call('removeMemberRole', { id: serverId, userId: ben.id, roleId: roles.lead })
    assert.deepEqual(await readClaims(service, ben, app), ['staff', 'Players'])
    await ada.client.call('deleteRole', { id: serverId, roleId: roles.helper })
    assert.deepEqual(await readClaims(service, ben, app), ['Players'])

    const admin = await ada.client.call('createRole', {
      id: serverId,
      body: { name: 'Admin', permissions: formatPermissions(Permission.MANAGE_SERVER) },
    })
    const held = { id: serverId, userId: ben.id, roleId: admin.id }
    await ada.client.call('addMemberRole', held)
    const own = await makeApplication(ben)
    await bindServer(ben, own, {
      id: serverId,
      groups: groups.filter(({ roleId }) => roleId !== roles.helper),
    })
    assert.deepEqual(await readClaims(service, ben, own), ['Players'])
    await ada.client.call('removeMemberRole', held)
    assert.deepEqual(await readClaims(service, ben, own), [])
    await ada.client.call('removeMember', { id: serverId, userId: ben.id })
    assert.deepEqual(await readClaims(service, ben, app), [])
    await ada.client.call('deleteServer', { id: serverId })
    assert.deepEqual(await readClaims(service, ada, app), [])
  },
)

eachService(
  'sign-in/groups: without the scope there are no groups, and without groups the scope is unknown',
  async (_t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    const without = await tokensFor(service, ben, app, { scope: 'openid identify' })
    assert.equal('groups' in decodeJwt(without.id_token ?? ''), false)
    assert.equal('groups' in (await userinfo(service, without.access_token)).body, false)

    await bindServer(ada, app, { id: serverId })
    const unbound = await makeApplication(ada)
    for (const application of [app, unbound]) {
      const tokens = await tokensFor(service, ben, application, scope)
      assert.equal(tokens.scope, 'openid identify')
      const only = await ben.client.get(authorizePath(application, { scope: 'groups' }))
      assert.equal(parametersOf(only).error, 'invalid_scope')
    }
    const bot = await makeApplication(ada, { bot: 'dice', redirectUris: [], public: true })
    const request = { scope: 'bot groups', redirect_uri: undefined, response_type: undefined }
    assert.equal((await ada.client.get(authorizePath(bot, request))).status, 200)
  },
)

eachService(
  'sign-in/groups: tokens that have the scope get an empty list after the application is no longer bound',
  async (_t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    const tokens = (await exchangeCode(service, app, await codeFor(ben, app, scope))).body
    await bindServer(ada, app, { id: serverId })
    assert.deepEqual((await userinfo(service, tokens.access_token)).body.groups, [])
    const refreshed = (await refresh(service, app, tokens.refresh_token)).body
    assert.deepEqual(decodeJwt(refreshed.id_token).groups, [])
  },
)

eachService('sign-in/groups: the consent page names the server to its members only', async (_t, service) => {
  const { ben, app } = await setUp(service)
  const eve = await signUp(service, 'eve')
  const path = authorizePath(app, scope)
  const named = 'See your groups, which follow from your roles on the server Server'
  assert.match((await ben.client.get(path)).text, new RegExp(`<span>${named}</span>`))
  const { text } = await eve.client.get(path)
  assert.match(text, /<span>See your groups in a community of which you may be a member<\/span>/)
  assert.doesNotMatch(text, /the server Server/)
})

eachService(
  'sign-in/groups: a request for groups alone says which setting the application lacks',
  async (_t, service) => {
    const { ada, serverId, app: bound } = await setUp(service)
    const app = await makeApplication(ada)
    const request = async (more: Record<string, string | undefined>) => {
      const { error, error_description = '' } = parametersOf(await ada.client.get(authorizePath(app, more)))
      return `${error}: ${error_description}`
    }
    const noServer = /^invalid_scope: The scope groups needs a server: .*Who may sign in/
    assert.match(await request({ scope: 'groups' }), noServer)
    assert.match(await request({ scope: 'groups offline_access nothing' }), noServer)
    assert.match(await request({ scope: 'nothing' }), /no known scope/)
    await ada.client.json('PATCH', `/api/applications/${app.id}`, { defaultScopes: ['groups'] })
    assert.match(await request({ scope: undefined }), noServer)
    await bindServer(ada, app, { id: serverId })
    assert.match(await request({ scope: 'groups' }), /^invalid_scope: The scope groups needs roles to send: /)

    const { scope: granted } = await tokensFor(service, ada, await makeApplication(ada), {
      scope: 'identify groups',
    })
    assert.equal(granted, 'identify', 'beside other scopes it is ignored')
    assert.equal((await tokensFor(service, ada, bound, { scope: 'groups' })).scope, 'groups')
  },
)
