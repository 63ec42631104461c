import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'

const hour = 3_600_000
const day = 24 * hour

async function setUp(service: TestService) {
  const [owner, moderator, member] = [
    await register(service, 'owner'),
    await register(service, 'moderator'),
    await register(service, 'member'),
  ]
  const { server, general } = await createServer(owner, moderator, member)
  const path = `/api/servers/${server.id}`
  await giveRole(owner, path, moderator, Permission.MODERATE_MEMBERS, 5)
  return { owner, moderator, member, path, channel: `/api/channels/${general.id}`, general }
}

async function giveRole(owner: TestUser, path: string, to: TestUser, permissions: bigint, position = 1) {
  const role = await owner.client.request<{ id: string }>('POST', `${path}/roles`, {
    ...{ name: 'role', permissions: formatPermissions(permissions), position },
  })
  await owner.client.request('PUT', `${path}/members/${to.id}/roles/${role.id}`)
}

function timeOut(by: TestUser, path: string, userId: string, until: unknown): Promise<TestResponse> {
  return by.client.json('PATCH', `${path}/members/${userId}`, { timedOutUntil: until })
}

const inMs = (service: TestService, ms: number) => new Date(service.clock.now() + ms).toISOString()

function assertTimedOut(reply: TestResponse, until: string): void {
  assert.equal(reply.status, 403, reply.text)
  assert.deepEqual(reply.body, { code: 'timed_out', message: `You are timed out until ${until}.` })
}

eachService(
  'PATCH /api/servers/:id/members/:userId: a member who is timed out can only view, until the end (community/timeouts)',
  async (_t, service) => {
    const { owner, moderator, member, path, channel } = await setUp(service)
    // Permissions that the time-out takes away too.
    await giveRole(owner, path, member, Permission.MANAGE_CHANNELS | Permission.MANAGE_MESSAGES)
    const own = await member.client.request<{ id: string }>('POST', `${channel}/messages`, {
      content: 'Hello',
    })
    const until = inMs(service, hour)
    const reply = await timeOut(moderator, path, member.id, until)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.timedOutUntil, until)
    assert.equal(reply.body.user.id, member.id)
    assert.deepEqual((await owner.client.get(`${path}/members/${member.id}`)).body, reply.body)
    const all = (await owner.client.get(`${path}/members`)).body
    assert.deepEqual(
      all.map((one: { timedOutUntil: string | null }) => one.timedOutUntil),
      [null, null, until],
    )

    const send = () => member.client.json('POST', `${channel}/messages`, { content: 'Again' })
    const edit = () => member.client.json('PATCH', `${channel}/messages/${own.id}`, { content: 'Edited' })
    const inviteOthers = () => member.client.json('POST', `${path}/invites`, {})
    const change = () => member.client.json('PATCH', channel, { topic: 'Mine' })
    for (const request of [send, edit, inviteOthers, change]) assertTimedOut(await request(), until)
    assert.equal((await member.client.get(`${channel}/messages`)).body.length, 1)
    assert.equal((await member.client.get(path)).status, 200)

    service.clock.advance(hour - 1)
    assertTimedOut(await send(), until)
    service.clock.advance(1)
    assert.equal((await member.client.get(`${path}/members/@me`)).body.timedOutUntil, null)
    for (const request of [send, edit, inviteOthers, change]) {
      const allowed = await request()
      assert.ok(allowed.status < 300, allowed.text)
    }
  },
)

eachService(
  'null ends a time-out, and a second one replaces the first (community/timeouts)',
  async (_t, service) => {
    const { moderator, member, path, channel } = await setUp(service)
    const send = () => member.client.json('POST', `${channel}/messages`, { content: 'Hello' })
    await timeOut(moderator, path, member.id, inMs(service, hour))
    const until = inMs(service, 28 * day)
    assert.equal((await timeOut(moderator, path, member.id, until)).status, 200)
    service.clock.advance(2 * hour)
    assertTimedOut(await send(), until)
    const ended = await timeOut(moderator, path, member.id, null)
    assert.equal(ended.body.timedOutUntil, null)
    assert.equal((await send()).status, 201)
  },
)

eachService(
  'a time-out needs MODERATE_MEMBERS and a higher role, and is not for the owner and ' +
    'administrators (community/timeouts)',
  async (_t, service) => {
    const { owner, moderator, member, path, channel } = await setUp(service)
    const until = inMs(service, hour)
    const refused = await timeOut(member, path, moderator.id, until)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.message, 'Missing permission: MODERATE_MEMBERS.')
    for (const above of [owner, moderator]) {
      const notBelow = await timeOut(moderator, path, above.id, until)
      assert.equal(notBelow.status, 403)
      assert.match(notBelow.body.message, /not lower than your highest role/)
    }
    assert.equal((await timeOut(moderator, path, '1234567890123456789', until)).status, 404)
    const stranger = await register(service, 'stranger')
    assert.equal((await timeOut(stranger, path, member.id, until)).status, 404)

    await timeOut(moderator, path, member.id, until)
    await giveRole(owner, path, member, Permission.ADMINISTRATOR)
    for (const exempt of [owner, member]) {
      const administrator = await timeOut(owner, path, exempt.id, until)
      assert.equal(administrator.status, 403)
      assert.equal(administrator.body.message, 'The owner and administrators cannot be timed out.')
    }
    const sent = await member.client.json('POST', `${channel}/messages`, { content: 'As administrator' })
    assert.equal(sent.status, 201, 'an earlier time-out does not restrict an administrator')
    assert.equal((await member.client.json('POST', `${path}/invites`, {})).status, 201)
  },
)

eachService('a time outside the next 28 days is 400 (community/timeouts)', async (_t, service) => {
  const { moderator, member, path } = await setUp(service)
  for (const until of [inMs(service, 0), inMs(service, -hour), inMs(service, 28 * day + 1), '2026-02-30']) {
    const reply = await timeOut(moderator, path, member.id, until)
    assert.equal(reply.status, 400, reply.text)
    assert.deepEqual(reply.body.errors[0], {
      path: 'timedOutUntil',
      code: 'out_of_range',
      message: 'must be null or a time in the next 28 days',
    })
  }
  for (const until of ['tomorrow', 5]) {
    const reply = await timeOut(moderator, path, member.id, until)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(reply.body.errors[0].path, 'timedOutUntil')
  }
})

eachService(
  'a time-out remains if the member leaves and joins again; direct messages are not affected (community/timeouts)',
  async (_t, service) => {
    const { owner, moderator, member, path, channel } = await setUp(service)
    const { code } = await owner.client.request<{ code: string }>('POST', `${path}/invites`, {})
    const until = inMs(service, hour)
    await timeOut(moderator, path, member.id, until)
    assert.equal((await member.client.json('DELETE', `${path}/members/@me`)).status, 204)
    assert.equal((await member.client.json('POST', `/api/invites/${code}`)).status, 200)
    assertTimedOut(await member.client.json('POST', `${channel}/messages`, { content: 'Back' }), until)
    const direct = await member.client.request<{ id: string }>('POST', '/api/users/@me/channels', {
      recipientId: owner.id,
    })
    const sent = await member.client.json('POST', `/api/channels/${direct.id}/messages`, { content: 'Hello' })
    assert.equal(sent.status, 201)
  },
)
