import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer } from '@gatehouse/testkit/community'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  allow,
  assertError,
  authorizePath,
  bindServer,
  codeFor,
  decide,
  exchangeCode,
  formOf,
  giveRole,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const secretName = 'Secret society'

/** Ada owns a server with the member Ben, and an application for its members. Eve is not a member. */
async function setUp(service: TestService) {
  const [ada, ben, eve] = [
    await signUp(service, 'ada'),
    await signUp(service, 'ben'),
    await signUp(service, 'eve'),
  ]
  const { server } = await createServer(ada, ben)
  await ada.client.call('updateServer', { id: server.id, body: { name: secretName } })
  const app = await makeApplication(ada)
  await bindServer(ada, app, { id: server.id, membersOnly: true })
  return { ada, ben, eve, serverId: server.id, app }
}

const ofUser = 'You cannot sign in with this account'
/** The setting of the application admits nobody. */
const ofSite = 'Nobody can sign in to this site at the moment'

function assertNotAdmitted(reply: TestResponse, heading = ofUser): void {
  assert.equal(reply.status, 200, reply.text)
  assert.equal(/<h1>(.*)<\/h1>/.exec(reply.text)?.[1], heading)
  assert.doesNotMatch(reply.text, new RegExp(secretName))
}

eachService(
  'sign-in/members-only: others than members get a page that leads back, and does not name the server',
  async (_t, service) => {
    const { ben, eve, app } = await setUp(service)
    const page = await eve.client.get(authorizePath(app))
    assertNotAdmitted(page)
    assert.match(page.text, /<strong>Name of eve<\/strong>/)
    const back = /<a class="button primary" href="([^"]*)">Back to app\.example</.exec(page.text)?.[1] ?? ''
    const url = new URL(back.replaceAll('&amp;', '&'))
    assert.equal(url.origin + url.pathname, app.redirectUri)
    const { error, state, iss, code } = Object.fromEntries(url.searchParams)
    assert.deepEqual(
      { error, state, iss, code },
      { error: 'access_denied', state: 'state of the application', iss: service.url, code: undefined },
    )
    assert.match(page.text, /href="\/login\?return_to=[^"]*reauthenticate=1">Use another account</)
    assert.ok((await codeFor(ben, app)).length > 0)
  },
)

eachService('sign-in/members-only: prompt=none redirects without a page', async (_t, service) => {
  const { eve, app } = await setUp(service)
  const { error, state } = parametersOf(await eve.client.get(authorizePath(app, { prompt: 'none' })))
  assert.deepEqual([error, state], ['access_denied', 'state of the application'])
})

eachService(
  'sign-in/members-only: a member who is removed while the consent page is open gets no code',
  async (_t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    const page = await ben.client.get(authorizePath(app))
    await ada.client.call('removeMember', { id: serverId, userId: ben.id })
    assertNotAdmitted(await decide(ben.client, page))
    assert.equal(parametersOf(await decide(ben.client, page, { decision: 'deny' })).error, 'access_denied')
    assert.deepEqual((await ben.client.get('/api/users/@me/authorizations')).body, [])
  },
)

eachService(
  'sign-in/members-only: a member who is removed between the check and the code gets no code',
  async (t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    await codeFor(ben, app)
    const transaction = service.db.transaction.bind(service.db)
    let removed = false
    t.mock.method(service.db, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
      if (!removed) {
        removed = true
        await ada.client.call('removeMember', { id: serverId, userId: ben.id })
      }
      return transaction(work)
    })
    assertNotAdmitted(await ben.client.get(authorizePath(app)))
  },
)

eachService(
  'sign-in/members-only: one of the required roles suffices, and the owner of the server needs one too',
  async (_t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    const [player, helper] = [
      await giveRole(ada, serverId, 'Player', ben),
      await giveRole(ada, serverId, 'Helper'),
    ]
    await bindServer(ada, app, { id: serverId, membersOnly: true, requiredRoles: [helper, player] })
    assert.ok((await codeFor(ben, app)).length > 0)
    assertNotAdmitted(await ada.client.get(authorizePath(app)))
    await ada.client.call('addMemberRole', { id: serverId, userId: ada.id, roleId: helper })
    assert.ok((await codeFor(ada, app)).length > 0)
  },
)

eachService(
  'sign-in/members-only: required roles have no effect without membersOnly',
  async (_t, service) => {
    const { ada, eve, serverId, app } = await setUp(service)
    const role = await giveRole(ada, serverId, 'Player')
    await bindServer(ada, app, { id: serverId, requiredRoles: [role] })
    assert.ok((await codeFor(eve, app)).length > 0)
  },
)

eachService(
  'sign-in/members-only: an installation of the bot of the application is no sign-in',
  async (_t, service) => {
    const { ada, eve, serverId } = await setUp(service)
    const app = await makeApplication(ada, { bot: 'dice', public: true })
    await bindServer(ada, app, { id: serverId, membersOnly: true })
    formOf(await eve.client.get(authorizePath(app, { scope: 'bot' })))
    assertNotAdmitted(await eve.client.get(authorizePath(app, { scope: 'bot identify' })))
  },
)

eachService(
  'sign-in/members-only: nobody is admitted if the owner of the application no longer manages the server',
  async (_t, service) => {
    const { ada, ben, serverId } = await setUp(service)
    const dan = await signUp(service, 'dan')
    const { code } = await ada.client.call('createInvite', { id: serverId })
    await dan.client.call('acceptInvite', { code })
    const body = { name: 'Admin', permissions: formatPermissions(Permission.MANAGE_SERVER) }
    const role = await ada.client.call('createRole', { id: serverId, body })
    const held = { id: serverId, userId: dan.id, roleId: role.id }
    await ada.client.call('addMemberRole', held)
    const app = await makeApplication(dan)
    await bindServer(dan, app, { id: serverId, membersOnly: true })
    const tokens = await tokensFor(service, ben, app)
    const unused = await codeFor(ben, app)

    // A time-out is no loss of the authority.
    const timedOutUntil = new Date(service.clock.now() + 60_000).toISOString()
    await ada.client.call('updateMember', { id: serverId, userId: dan.id, body: { timedOutUntil } })
    const refreshed = await refresh(service, app, tokens.refresh_token)
    assert.equal(refreshed.status, 200, refreshed.text)

    await ada.client.call('removeMemberRole', held)
    assertNotAdmitted(await ben.client.get(authorizePath(app)), ofSite)
    assertError(await exchangeCode(service, app, unused), 400, 'invalid_grant')
    assertError(await refresh(service, app, refreshed.body.refresh_token), 400, 'invalid_grant')
    // The grant is deleted.
    await ada.client.call('addMemberRole', held)
    assertError(await refresh(service, app, refreshed.body.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, refreshed.body.access_token)).status, 401)
    assert.ok((await codeFor(ben, app)).length > 0)
  },
)

eachService(
  'sign-in/members-only: a deleted required role and a deleted server admit nobody',
  async (_t, service) => {
    const { ada, ben, serverId, app } = await setUp(service)
    const role = await giveRole(ada, serverId, 'Player', ben)
    await bindServer(ada, app, { id: serverId, membersOnly: true, requiredRoles: [role] })
    assert.ok((await codeFor(ben, app)).length > 0)
    await ada.client.call('deleteRole', { id: serverId, roleId: role })
    assertNotAdmitted(await ben.client.get(authorizePath(app)), ofSite)
    await bindServer(ada, app, { id: serverId, membersOnly: true })
    assert.ok((await allow(ben, app)).code)
    await ada.client.call('deleteServer', { id: serverId })
    assertNotAdmitted(await ben.client.get(authorizePath(app)), ofSite)
    assertNotAdmitted(await ada.client.get(authorizePath(app)), ofSite)
  },
)

eachService(
  'sign-in/members-only: a repeated refresh within the grace period checks the admission again',
  async (_t, service) => {
    const { ada, ben, serverId } = await setUp(service)
    const dan = await signUp(service, 'dan')
    const { code } = await ada.client.call('createInvite', { id: serverId })
    await dan.client.call('acceptInvite', { code })
    const body = { name: 'Admin', permissions: formatPermissions(Permission.MANAGE_SERVER) }
    const role = await ada.client.call('createRole', { id: serverId, body })
    const held = { id: serverId, userId: dan.id, roleId: role.id }
    await ada.client.call('addMemberRole', held)
    const app = await makeApplication(dan)
    await dan.client.request('PATCH', `/api/applications/${app.id}`, { refreshGrace: true })
    await bindServer(dan, app, { id: serverId, membersOnly: true })
    const { refresh_token: used } = await tokensFor(service, ben, app)
    const first = await refresh(service, app, used)
    assert.deepEqual((await refresh(service, app, used)).body, first.body)
    // No event revokes the grant then.
    await ada.client.call('removeMemberRole', held)
    assertError(await refresh(service, app, used), 400, 'invalid_grant')
    await ada.client.call('addMemberRole', held)
    assertError(await refresh(service, app, first.body.refresh_token), 400, 'invalid_grant')
  },
)
