import assert from 'node:assert/strict'
import type { AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { Permission } from '@gatehouse/protocol/permissions'
import type { SecurityLogEntry } from '@gatehouse/protocol/security-log'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import {
  assertError,
  authorizePath,
  bindServer,
  locationOf,
  makeApplication,
  refresh,
  signUp,
  type TestApplication,
  tokensFor,
} from '../oauth/oauth-testing.ts'

interface World {
  service: TestService
  ann: TestUser
  ben: TestUser
  eve: TestUser
  serverId: string
  wiki: TestApplication
  forum: TestApplication
  /** Of the moderator eve. */
  shop: TestApplication
  moderator: string
}

/** Ann owns a server with the members ben and eve. Three applications accept only its members. */
async function setUp(service: TestService): Promise<World> {
  const [ann, ben, eve] = [
    await signUp(service, 'ann'),
    await signUp(service, 'ben'),
    await signUp(service, 'eve'),
  ]
  await service.db.run`UPDATE users SET email_verified = 1`
  const { server } = await createServer(ann, ben, eve)
  const body = { name: 'Moderator', permissions: String(Permission.MANAGE_SERVER) }
  const { id: moderator } = await ann.client.call('createRole', { id: server.id, body })
  await ann.client.call('addMemberRole', { id: server.id, userId: eve.id, roleId: moderator })
  const binding = { id: server.id, membersOnly: true }
  const [wiki, forum, shop] = [
    await makeApplication(ann, { name: 'Wiki' }),
    await makeApplication(ann, { name: 'Forum' }),
    await makeApplication(eve, { name: 'Shop' }),
  ]
  for (const app of [wiki, forum]) await bindServer(ann, app, binding)
  await bindServer(eve, shop, binding)
  return { service, ann, ben, eve, serverId: server.id, wiki, forum, shop, moderator }
}

const transferPath = ({ serverId }: World) => `/api/servers/${serverId}/ownership-transfer`

async function offer(world: World, to: TestUser, from = world.ann): Promise<void> {
  const body = { userId: to.id, currentPassword: `password of ${from.username}` }
  const reply = await from.client.json('PUT', transferPath(world), body)
  assert.equal(reply.status, 200, reply.text)
}

/** Without `kept`, the request has no body. */
function accept(world: World, user: TestUser, kept?: readonly (TestApplication | string)[]) {
  const ids = kept?.map(app => (typeof app === 'string' ? app : app.id))
  return user.client.json('POST', transferPath(world), ids && { keptApplications: ids })
}

async function transfer(world: World, kept?: readonly (TestApplication | string)[]): Promise<void> {
  await offer(world, world.ben)
  const reply = await accept(world, world.ben, kept)
  assert.equal(reply.status, 200, reply.text)
}

/** `admitted`, or which page says that the user is not. */
async function tryToSignIn(user: TestUser, app: TestApplication): Promise<string> {
  const reply = await user.client.get(authorizePath(app))
  if (reply.status === 303) return locationOf(reply).searchParams.get('error') ?? 'admitted'
  if (reply.text.includes('Nobody can sign in to this site')) return 'setting'
  return reply.text.includes('You cannot sign in with this account') ? 'user' : 'admitted'
}

async function listBound(user: TestUser, { serverId }: World) {
  const { status, body }: TestResponse = await user.client.get(`/api/servers/${serverId}/bound-applications`)
  return status === 200
    ? body.map((app: { name: string; owner: { username: string }; state?: string }) =>
        [app.name, app.owner.username, app.state ?? 'active'].join(' '),
      )
    : body.code
}

const decisionPath = ({ serverId }: World, app: TestApplication) =>
  `/api/servers/${serverId}/bound-applications/${app.id}`

eachService(
  'sign-in/binding-decision: the owner and the member to whom the server is offered see its applications',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve } = world
    const all = ['Wiki ann active', 'Forum ann active', 'Shop eve active']
    assert.deepEqual(await listBound(ann, world), all)
    assert.equal(await listBound(ben, world), 'missing_permission')
    assert.equal(await listBound(await signUp(service, 'mia'), world), 'not_found')
    await offer(world, ben)
    assert.deepEqual(await listBound(ben, world), all)
    assert.equal(await listBound(eve, world), 'missing_permission')
    service.clock.advance(7 * 86_400_000)
    assert.equal(await listBound(ben, world), 'missing_permission')
  },
)

eachService(
  'sign-in/binding-decision: a kept application goes on after the transfer, the others admit nobody at once',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, wiki, forum, shop } = world
    const [ofWiki, ofForum] = [await tokensFor(service, eve, wiki), await tokensFor(service, eve, forum)]
    await transfer(world, [wiki, shop])

    assert.equal((await refresh(service, wiki, ofWiki.refresh_token)).status, 200)
    assertError(await refresh(service, forum, ofForum.refresh_token), 400, 'invalid_grant')
    for (const user of [ann, ben, eve]) {
      assert.equal(await tryToSignIn(user, wiki), 'admitted')
      assert.equal(await tryToSignIn(user, shop), 'admitted')
      assert.equal(await tryToSignIn(user, forum), 'setting', 'it is not open to everybody')
    }
    const stranger = await signUp(service, 'mia')
    assert.equal(await tryToSignIn(stranger, wiki), 'user')
    assert.equal(await tryToSignIn(stranger, forum), 'setting')
    assert.deepEqual(await listBound(ben, world), ['Wiki ann kept', 'Shop eve active'])
    const stateOf = async (app: TestApplication) =>
      (await ann.client.get(`/api/applications/${app.id}`)).body.server.state
    assert.deepEqual([await stateOf(wiki), await stateOf(forum)], ['kept', 'ended'])
  },
)

eachService(
  'sign-in/binding-decision: without a list, every application stays bound',
  async (_t, service) => {
    const world = await setUp(service)
    await transfer(world)
    for (const app of [world.wiki, world.forum, world.shop]) {
      assert.equal(await tryToSignIn(world.eve, app), 'admitted')
    }
  },
)

eachService(
  'sign-in/binding-decision: other applications in the list have no effect, and a new one that it lacks ends',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, serverId, wiki, forum, shop } = world
    const elsewhere = await makeApplication(ann, { name: 'Elsewhere' })
    const { server: other } = await createServer(ann, ben)
    await bindServer(ann, elsewhere, { id: other.id, membersOnly: true })
    const unbound = await makeApplication(eve)
    await offer(world, ben)
    const late = await makeApplication(ann, { name: 'Late' })
    await bindServer(ann, late, { id: serverId, membersOnly: true })
    await ann.client.request('DELETE', `/api/applications/${forum.id}`)
    const kept = [wiki, shop, forum, elsewhere, unbound, '1573634452968439808']
    assert.equal((await accept(world, ben, kept)).status, 200)

    assert.equal(await tryToSignIn(eve, late), 'setting')
    assert.deepEqual(await listBound(ben, world), ['Wiki ann kept', 'Shop eve active'])
    const own = { server: { id: serverId, membersOnly: true } }
    const readded = await ann.client.json('PATCH', `/api/applications/${elsewhere.id}`, own)
    assert.equal(readded.status, 403)
    await ann.client.json('POST', `/api/servers/${other.id}/ownership-transfer`)
    assert.equal((await ann.client.get(`/api/applications/${elsewhere.id}`)).body.server.state, undefined)
    assert.equal((await ann.client.get(`/api/applications/${unbound.id}`)).status, 404)
    assert.equal((await eve.client.get(`/api/applications/${unbound.id}`)).body.server, null)
  },
)

eachService(
  'sign-in/binding-decision: of two acceptances with different lists, one decides',
  async (_t, service) => {
    const world = await setUp(service)
    await offer(world, world.ben)
    const replies = await Promise.all([
      accept(world, world.ben, [world.wiki]),
      accept(world, world.ben, [world.forum]),
    ])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 404])
    const names = (await listBound(world.ben, world)).join()
    assert.ok(['Wiki ann kept', 'Forum ann kept'].includes(names), names)
  },
)

eachService(
  'sign-in/binding-decision: a binding whose owner lost the role is suspended, and a transfer does not open it',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, serverId, wiki, shop, moderator } = world
    await ann.client.call('removeMemberRole', { id: serverId, userId: eve.id, roleId: moderator })
    for (const user of [ann, eve]) assert.equal(await tryToSignIn(user, shop), 'setting')
    const reply = await ann.client.get(authorizePath(shop, { prompt: 'none' }))
    const { searchParams } = locationOf(reply)
    assert.equal(searchParams.get('error'), 'access_denied')
    assert.match(searchParams.get('error_description') ?? '', /under Who may sign in, admit nobody/)
    assert.deepEqual((await listBound(ann, world)).at(-1), 'Shop eve suspended')

    await transfer(world, [wiki, shop])
    assert.equal(await tryToSignIn(eve, shop), 'setting')
    const kept = await ben.client.json('PUT', decisionPath(world, shop))
    assert.equal(kept.status, 204)
    assert.equal(await tryToSignIn(eve, shop), 'admitted')
  },
)

eachService(
  'sign-in/binding-decision: the new owner ends a kept binding, and its owner needs the permission for a new one',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, serverId, wiki, shop } = world
    await transfer(world)
    const tokens = await tokensFor(service, eve, wiki)
    const path = decisionPath(world, wiki)
    assert.equal((await ann.client.json('DELETE', path)).status, 403)
    assert.equal((await eve.client.json('PUT', path)).status, 403)
    assert.equal((await ben.client.json('DELETE', path)).status, 204)
    assert.equal((await ben.client.json('DELETE', path)).status, 404)
    assert.equal((await ben.client.json('PUT', path)).status, 404)

    assertError(await refresh(service, wiki, tokens.refresh_token), 400, 'invalid_grant')
    assert.equal(await tryToSignIn(eve, wiki), 'setting')
    const again = { server: { id: serverId, membersOnly: true } }
    const rebound = await ann.client.json('PATCH', `/api/applications/${wiki.id}`, again)
    assert.equal(rebound.status, 403)
    const renamed = await ann.client.json('PATCH', `/api/applications/${wiki.id}`, { name: 'Old wiki' })
    assert.equal(renamed.body.server.state, 'ended')
    assert.equal(await tryToSignIn(eve, wiki), 'setting')
    const removed = await ann.client.json('PATCH', `/api/applications/${wiki.id}`, { server: null })
    assert.equal(removed.status, 200)
    assert.equal(await tryToSignIn(eve, wiki), 'admitted')

    // Also that of a moderator, who may bind it again.
    assert.equal((await ben.client.json('DELETE', decisionPath(world, shop))).status, 204)
    assert.equal(await tryToSignIn(eve, shop), 'setting')
    await bindServer(eve, shop, again.server)
    assert.equal(await tryToSignIn(eve, shop), 'admitted')
  },
)

eachService(
  'sign-in/binding-decision: a decision ends with the next owner, who decides again or never did',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, serverId, wiki, forum } = world
    await transfer(world)
    await offer(world, eve, ben)
    assert.equal((await accept(world, eve, [wiki])).status, 200)
    assert.equal(await tryToSignIn(ann, wiki), 'admitted')
    assert.equal(await tryToSignIn(ann, forum), 'setting')
    // An administrator, or a node of 0.3.0, does not ask the new owner.
    await service.db.run`UPDATE servers SET owner_id = ${ben.id} WHERE id = ${serverId}`
    assert.equal(await tryToSignIn(ann, wiki), 'setting')
    assert.equal((await ben.client.json('PUT', decisionPath(world, wiki))).status, 204)
    assert.equal(await tryToSignIn(ann, wiki), 'admitted')
  },
)

eachService(
  'sign-in/binding-decision: the audit log has the decisions, and the owners of the applications are told',
  async (_t, service) => {
    const world = await setUp(service)
    const { ann, ben, eve, serverId, wiki } = world
    await transfer(world, [wiki])
    await waitUntil(
      () => service.mails.filter(({ subject }) => /bound/.test(subject)).length === 3,
      'three mails',
    )
    const mails = service.mails.filter(({ subject }) => /bound/.test(subject))
    assert.deepEqual(
      mails.map(({ to, subject, text }) => [to, subject, /application (\w+)/.exec(text)?.[1]]).toSorted(),
      [
        ['ann@example.org', 'Your application is no longer bound to its server', 'Forum'],
        ['ann@example.org', 'Your application stays bound to its server', 'Wiki'],
        ['eve@example.org', 'Your application is no longer bound to its server', 'Shop'],
      ],
    )
    const log: AuditLogEntry[] = (await ben.client.get(`/api/servers/${serverId}/audit-log`)).body
    const shown = log
      .filter(({ action }) => action.startsWith('BINDING_'))
      .map(({ action, actor, target }) => [action, actor?.username, target.type, target.name].join(' '))
    assert.deepEqual(shown, [
      'BINDING_END ben application Shop',
      'BINDING_END ben application Forum',
      'BINDING_KEEP ben application Wiki',
    ])
    const events = async ({ client }: TestUser) =>
      (await client.get('/api/users/@me/security-log')).body.flatMap((entry: SecurityLogEntry) =>
        entry.kind.startsWith('BINDING_') ? [[entry.kind, entry.targetName].join(' ')] : [],
      )
    assert.deepEqual(await events(ann), ['BINDING_END Server', 'BINDING_KEEP Server'])
    assert.deepEqual(await events(eve), ['BINDING_END Server'])
    assert.deepEqual(await events(ben), [])
  },
)
