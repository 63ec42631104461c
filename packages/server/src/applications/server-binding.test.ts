import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { makeApplication, signUp } from '../oauth/oauth-testing.ts'
import { createFixture } from './applications-testing.ts'

/** Creates a role, and returns its id. */
async function addRole(user: TestUser, serverId: string, name: string, permissions = 0n): Promise<string> {
  const fields = { name, permissions: String(permissions) }
  const reply = await user.client.json('POST', `/api/servers/${serverId}/roles`, fields)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

async function prepare(service: TestService) {
  const owner = await signUp(service, 'owner')
  const member = await signUp(service, 'member')
  const { server } = await createServer(owner, member)
  const { id } = await makeApplication(owner)
  const path = `/api/applications/${id}`
  const bind = (binding: object | null) => owner.client.json('PATCH', path, { server: binding })
  return { owner, member, serverId: server.id, path, bind }
}

function assertInvalid(reply: TestResponse, path: string, code: string): void {
  assert.equal(reply.status, 400, reply.text)
  assert.deepEqual([reply.body.errors[0].path, reply.body.errors[0].code], [path, code], reply.text)
}

eachService(
  'sign-in/server-binding: PATCH binds an application to a server, replaces the binding as a whole, and removes it',
  async (_t, service) => {
    const { owner, serverId, path, bind } = await prepare(service)
    const role = await addRole(owner, serverId, 'Crew')
    const binding = {
      id: serverId,
      membersOnly: true,
      requiredRoles: [role],
      groups: [{ roleId: role, value: 'crew.1' }],
      groupsClaim: 'https://example.org/roles',
    }
    const bound = await bind(binding)
    assert.equal(bound.status, 200, bound.text)
    assert.deepEqual(bound.body.server, binding)
    assert.deepEqual((await owner.client.get(path)).body, bound.body)
    assert.deepEqual((await owner.client.get('/api/applications')).body, [bound.body])
    const renamed = await owner.client.json('PATCH', path, { name: 'Wiki' })
    assert.deepEqual(renamed.body.server, binding, 'another field keeps the binding')
    const replaced = await bind({ id: serverId })
    assert.deepEqual(replaced.body.server, {
      id: serverId,
      membersOnly: false,
      requiredRoles: [],
      groups: [],
      groupsClaim: null,
    })
    assert.equal((await bind(null)).body.server, null)
    assert.equal((await owner.client.get(path)).body.server, null)
  },
)

eachService(
  'sign-in/server-binding: a group without a value gets one from the name of its role',
  async (_t, service) => {
    const { owner, serverId, bind } = await prepare(service)
    const names = ['Модератор', 'Käse & Wurst', '🎉', 'я'.repeat(64)]
    const roles: string[] = []
    for (const name of names) roles.push(await addRole(owner, serverId, name))
    const reply = await bind({ id: serverId, groups: roles.map(roleId => ({ roleId })) })
    assert.equal(reply.status, 200, reply.text)
    const values = reply.body.server.groups.map(({ value }: { value: string }) => value)
    assert.deepEqual(values, ['moderator', 'kaese-and-wurst', roles[2], 'ya'.repeat(32)])
    assert.equal((await bind(reply.body.server)).status, 200, 'each of them is accepted as a value')
  },
)

eachService(
  'sign-in/server-binding: 404 for a server whose member the owner is not, and 403 without MANAGE_SERVER',
  async (_t, service) => {
    const { owner, member, serverId } = await prepare(service)
    const role = await addRole(owner, serverId, 'Crew')
    const application = await makeApplication(member)
    const path = `/api/applications/${application.id}`
    const bind = (id: string) =>
      member.client.json('PATCH', path, { name: 'New', server: { id, groups: [{ roleId: role }] } })
    const withoutPermission = await bind(serverId)
    assert.deepEqual([withoutPermission.status, withoutPermission.body.code], [403, 'missing_permission'])
    const { server: foreign } = await createServer(owner)
    for (const id of [foreign.id, '1573634452968439808']) assert.equal((await bind(id)).status, 404, id)
    const { name, server } = (await member.client.get(path)).body
    assert.deepEqual([name, server], ['An application', null], 'no other field has changed')

    const managers = await addRole(owner, serverId, 'Managers', Permission.MANAGE_SERVER)
    await owner.client.request('PUT', `/api/servers/${serverId}/members/${member.id}/roles/${managers}`)
    assert.equal((await bind(serverId)).status, 200)
    await owner.client.request('DELETE', `/api/servers/${serverId}/members/${member.id}/roles/${managers}`)
    assert.equal((await bind(serverId)).status, 403)
    const renamed = await member.client.json('PATCH', path, { name: 'Renamed' })
    assert.equal(renamed.status, 200, 'the other fields can be changed without the permission')
    assert.equal(renamed.body.server.id, serverId)
    assert.equal((await member.client.json('PATCH', path, { server: null })).status, 200)
  },
)

eachService(
  'sign-in/server-binding: 400 for a role of another server, of a bot, @everyone, and a duplicate',
  async (_t, service) => {
    const fixture = await createFixture(service)
    await fixture.install('bot')
    const { owner, member, path, serverId } = fixture
    const { server: own } = await createServer(owner)
    const { server: foreign } = await createServer(member)
    const { body: roles } = await owner.client.get(`/api/servers/${serverId}/roles`)
    const managed: { id: string } = roles.find((role: { managed: boolean }) => role.managed)
    const good = await addRole(owner, serverId, 'Crew')
    for (const wrong of [
      await addRole(owner, own.id, 'Own'),
      await addRole(member, foreign.id, 'Foreign'),
      managed.id,
      serverId,
      '1573634452968439808',
    ]) {
      for (const [path_, fields] of [
        ['server.requiredRoles[1]', { requiredRoles: [good, wrong] }],
        ['server.groups[1].roleId', { groups: [{ roleId: good }, { roleId: wrong, value: 'crew' }] }],
      ] as const) {
        const reply = await owner.client.json('PATCH', path, { server: { id: serverId, ...fields } })
        assertInvalid(reply, path_, 'invalid_choice')
      }
    }
    const twice = { requiredRoles: [good, good], groups: [{ roleId: good }, { roleId: good, value: 'two' }] }
    const reply = await owner.client.json('PATCH', path, { server: { id: serverId, ...twice } })
    assertInvalid(reply, 'server.requiredRoles[1]', 'duplicate')
    assert.deepEqual(
      reply.body.errors.map((error: { path: string }) => error.path),
      ['server.requiredRoles[1]', 'server.groups[1].roleId'],
    )
    assert.equal((await owner.client.get(path)).body.server, null)
  },
)

eachService(
  'sign-in/server-binding: 400 for malformed groups, and for a second claim that has another meaning',
  async (_t, service) => {
    const { owner, serverId, path, bind } = await prepare(service)
    const roleId = await addRole(owner, serverId, 'Crew')
    const id = serverId
    for (const [binding, field] of [
      [{}, 'server.id'],
      [{ id: 'server' }, 'server.id'],
      [{ id, membersOnly: 'yes' }, 'server.membersOnly'],
      [{ id, requiredRoles: null }, 'server.requiredRoles'],
      [{ id, requiredRoles: ['crew'] }, 'server.requiredRoles[0]'],
      [{ id, requiredRoles: Array.from({ length: 251 }, () => roleId) }, 'server.requiredRoles'],
      [{ id, groups: [{ value: 'crew' }] }, 'server.groups[0].roleId'],
      [{ id, groups: [{ roleId, value: '' }] }, 'server.groups[0].value'],
      [{ id, groups: [{ roleId, value: 'my crew' }] }, 'server.groups[0].value'],
      [{ id, groups: [{ roleId, value: 'команда' }] }, 'server.groups[0].value'],
      [{ id, groups: [{ roleId, value: 'x'.repeat(65) }] }, 'server.groups[0].value'],
      [{ id, groupsClaim: '' }, 'server.groupsClaim'],
      [{ id, groupsClaim: '1st' }, 'server.groupsClaim'],
      [{ id, groupsClaim: 'my roles' }, 'server.groupsClaim'],
      [{ id, groupsClaim: 'x'.repeat(65) }, 'server.groupsClaim'],
      [{ id, name: 'Server' }, 'server.name'],
    ] as const) {
      const reply = await bind(binding)
      assert.equal(reply.status, 400, `${field}: ${reply.text}`)
      assert.equal(reply.body.errors[0].path, field, reply.text)
    }
    for (const groupsClaim of ['sub', 'email', 'email_verified', 'sid', 'aud', 'exp', 'groups', 'amr']) {
      assertInvalid(await bind({ id, groupsClaim }), 'server.groupsClaim', 'invalid_choice')
    }
    assert.equal((await owner.client.get(path)).body.server, null)
  },
)
