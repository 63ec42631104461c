import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventRules } from '@gatehouse/protocol/gateway'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createOperator, setDisabled } from '@gatehouse/testkit/administration'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { clientOn, connectUser, type Frame, type GatewayClient, identify } from '@gatehouse/testkit/gateway'
import { createBot, putCommands } from '@gatehouse/testkit/interactions'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'

type EventName = keyof typeof eventRules

/** What restricts the member: the operator disables them, the owner bans them from the server, or blocks them. */
const restrictions = ['disabled', 'banned', 'blocked'] as const
type Restriction = (typeof restrictions)[number]

/** Whether the member receives the event with each restriction, and what causes it. Bots of the member likewise. */
type Row = [disabled: 'yes' | 'no', banned: 'yes' | 'no', blocked: 'yes' | 'no', act: Act]

/** `n` differs in each call. What the member does may be rejected. */
type Act = (world: World, n: number) => Promise<unknown>

const table: Readonly<Record<EventName, Row>> = {
  MESSAGE_CREATE: ['no', 'no', 'yes', w => say(w)],
  MESSAGE_UPDATE: ['no', 'no', 'yes', async w => w.owner('PATCH', await say(w), { content: 'Bye' })],
  MESSAGE_DELETE: ['no', 'no', 'yes', async w => w.owner('DELETE', await say(w))],
  CHANNEL_CREATE: ['no', 'no', 'yes', (w, n) => newChannel(w, n)],
  CHANNEL_UPDATE: [
    'no',
    'no',
    'yes',
    async (w, n) => w.owner('PATCH', await newChannel(w, n), { topic: 'New' }),
  ],
  CHANNEL_DELETE: ['no', 'no', 'yes', async (w, n) => w.owner('DELETE', await newChannel(w, n))],
  CHANNEL_READ: [
    'no',
    'no',
    'yes',
    async w => w.member('PUT', `${w.channel}/read`, { messageId: (await say(w)).split('/').at(-1) }),
  ],
  // Of the conversation with the owner.
  CHANNEL_MUTE: ['no', 'yes', 'yes', (w, n) => w.member('PATCH', w.direct, { muted: n < 100 })],
  // The member blocks another one. That they are blocked is told to nobody else.
  BLOCK_UPDATE: [
    'no',
    'yes',
    'yes',
    (w, n) => w.member(n < 100 ? 'PUT' : 'DELETE', `/api/users/@me/blocks/${w.friendId}`),
  ],
  INTERACTION_UPDATE: ['no', 'no', 'yes', w => useCommand(w)],
  USER_UPDATE: ['no', 'yes', 'yes', (w, n) => w.member('PATCH', '/api/users/@me', { displayName: `M${n}` })],
  // Of another server of the owner.
  SERVER_ADD: ['no', 'yes', 'yes', w => w.member('POST', `/api/invites/${w.inviteOfOther}`)],
  SERVER_REMOVE: ['no', 'yes', 'yes', w => w.member('DELETE', `${w.other}/members/@me`)],
  SERVER_UPDATE: ['no', 'no', 'yes', (w, n) => w.owner('PATCH', w.server, { name: `S${n}` })],
  OWNERSHIP_TRANSFER_UPDATE: [
    'no',
    'no',
    'yes',
    w =>
      w.owner('PUT', `${w.server}/ownership-transfer`, {
        userId: w.memberId,
        currentPassword: 'correct horse',
      }),
  ],
  MEMBER_ADD: ['no', 'no', 'yes', w => w.guest('POST', `/api/invites/${w.invite}`)],
  MEMBER_UPDATE: [
    'no',
    'no',
    'yes',
    w => w.owner('PUT', `${w.server}/members/${w.guestId}/roles/${w.roleId}`),
  ],
  MEMBER_REMOVE: ['no', 'no', 'yes', w => w.guest('DELETE', `${w.server}/members/@me`)],
  BAN_ADD: ['no', 'no', 'yes', w => w.owner('PUT', `${w.server}/bans/${w.guestId}`, {})],
  BAN_REMOVE: ['no', 'no', 'yes', w => w.owner('DELETE', `${w.server}/bans/${w.guestId}`)],
  AUDIT_LOG_ENTRY_CREATE: ['no', 'no', 'yes', (w, n) => w.owner('PATCH', w.server, { name: `S${n}` })],
  INVITE_CREATE: ['no', 'no', 'yes', w => newInvite(w)],
  INVITE_DELETE: ['no', 'no', 'yes', async w => w.owner('DELETE', await newInvite(w))],
  WEBHOOKS_UPDATE: ['no', 'no', 'yes', w => w.owner('POST', `${w.channel}/webhooks`, { name: 'Builds' })],
  ROLE_CREATE: ['no', 'no', 'yes', w => newRole(w)],
  ROLE_UPDATE: ['no', 'no', 'yes', async w => w.owner('PATCH', await newRole(w), { name: 'changed' })],
  ROLE_DELETE: ['no', 'no', 'yes', async w => w.owner('DELETE', await newRole(w))],
  REPORT_CREATE: ['no', 'no', 'yes', w => report(w)],
  REPORT_UPDATE: ['no', 'no', 'yes', async w => w.owner('PATCH', await report(w), { state: 'resolved' })],
  COMMANDS_UPDATE: [
    'no',
    'no',
    'yes',
    (w, n) => putCommands(w.helper, [{ name: 'go', description: `Goes ${n}` }]),
  ],
}

/** The new message, as a path. */
async function say(w: World, content = 'Hello'): Promise<string> {
  return `${w.channel}/messages/${(await w.owner('POST', `${w.channel}/messages`, { content })).id}`
}

/** Another node has sent the creation. Otherwise it may send nothing about a channel that is deleted at once. */
async function newChannel(w: World, n: number): Promise<string> {
  const { id } = await w.owner('POST', `${w.server}/channels`, { name: `c${n}` })
  await waitUntil(() => w.received.friend.some(({ t, d }) => t === 'CHANNEL_CREATE' && d.id === id))
  return `/api/channels/${id}`
}

async function newRole(w: World): Promise<string> {
  return `${w.server}/roles/${(await w.owner('POST', `${w.server}/roles`, { name: 'r', permissions: '0' })).id}`
}

async function newInvite(w: World): Promise<string> {
  return `/api/invites/${(await w.owner('POST', `${w.server}/invites`, {})).code}`
}

async function useCommand({ member, helper, command }: World): Promise<void> {
  const { body } = await member('POST', '/api/interactions', command)
  const event = helper.received.find(({ id }) => id === body.id)
  if (event) await helper.callback(event, { type: 'message', data: { content: 'Gone' } })
}

async function report(w: World): Promise<string> {
  const message = await w.friend('POST', `${w.channel}/messages`, { content: 'Buy now' })
  const { id } = await w.owner('POST', `${w.channel}/messages/${message.id}/reports`, { reason: 'Spam' })
  return `${w.server}/reports/${id}`
}

type World = Awaited<ReturnType<typeof createWorld>>

/** All events that a client receives. */
function record({ socket }: GatewayClient): Frame[] {
  const events: Frame[] = []
  socket.on('message', data => {
    const frame: Frame = JSON.parse(String(data))
    if (frame.t !== undefined) events.push(frame)
  })
  return events
}

/** The member and their bot are connected to `node`. */
async function createWorld(service: TestService, node: TestService) {
  const users = {
    owner: await register(service, 'owner'),
    member: await register(service, 'member'),
    friend: await register(service, 'friend'),
    guest: await register(service, 'guest'),
  }
  const { owner, member, friend, guest } = users
  const { server, general } = await createServer(owner, member, friend)
  const { server: other } = await createServer(owner)
  const { general: endChannel } = await createServer(friend, member)
  const path = `/api/servers/${server.id}`
  const send = ({ client }: typeof owner) => client.request.bind(client)<{ id: string; code: string }>
  const permissions = formatPermissions(Permission.ADMINISTRATOR)
  const { id: roleId } = await send(owner)('POST', `${path}/roles`, { name: 'admin', permissions })
  await send(owner)('PUT', `${path}/members/${member.id}/roles/${roleId}`)
  const [robot, helper] = [
    await createBot(service, member, 'robot'),
    await createBot(service, owner, 'helper'),
  ]
  await addBot(member.client, robot.applicationId, server.id, Permission.ADMINISTRATOR)
  await addBot(owner.client, helper.applicationId, server.id, Permission.ADMINISTRATOR)
  await helper.connect()
  const { go = '' } = await putCommands(helper, [{ name: 'go', description: 'Goes' }])
  const direct = await send(owner)('POST', '/api/users/@me/channels', { recipientId: member.id })
  const sessions = {
    member: await connectUser(node, clientOn(node, member)),
    robot: await identify(node, {
      token: robot.token,
      intents: ['servers', 'moderation', 'invites', 'webhooks'],
    }),
    friend: await connectUser(node, clientOn(node, friend)),
  }
  return {
    users,
    sessions,
    received: {
      member: record(sessions.member),
      robot: record(sessions.robot),
      friend: record(sessions.friend),
    },
    helper,
    owner: send(owner),
    friend: send(friend),
    guest: send(guest),
    member: (method: string, url: string, body?: object) => member.client.json(method, url, body),
    /** A message on a server that has nothing to do with the restriction. */
    end: () => send(friend)('POST', `/api/channels/${endChannel.id}/messages`, { content: 'End' }),
    serverId: server.id,
    server: path,
    other: `/api/servers/${other.id}`,
    channel: `/api/channels/${general.id}`,
    direct: `/api/users/@me/channels/${direct.id}`,
    command: { type: 'command', channelId: general.id, commandId: go },
    invite: (await send(owner)('POST', `${path}/invites`)).code,
    inviteOfOther: (await send(owner)('POST', `/api/servers/${other.id}/invites`)).code,
    ...{ roleId, memberId: member.id, friendId: friend.id, guestId: guest.id, robotId: robot.botId },
  }
}

async function restrict(
  w: World,
  restriction: Restriction,
  setMemberDisabled: () => Promise<void>,
): Promise<void> {
  const { member, robot } = w.sessions
  if (restriction === 'disabled') {
    await setMemberDisabled()
    for (const { closed } of [member, robot])
      assert.deepEqual(await closed, { code: 4004, reason: 'disabled' })
    return
  }
  const path = restriction === 'banned' ? `${w.server}/bans` : '/api/users/@me/blocks'
  for (const id of [w.memberId, w.robotId]) await w.owner('PUT', `${path}/${id}`, {})
}

async function check(restriction: Restriction, service: TestService, node = service): Promise<void> {
  const operator = await createOperator(service)
  const w = await createWorld(service, node)
  const { received } = w
  const receivedBy = (event: EventName) =>
    'onlyForBots' in eventRules[event] ? received.robot : received.member
  const wait = (event: EventName, events = receivedBy(event), content?: string) =>
    waitUntil(
      () => events.some(({ t, d }) => t === event && (content === undefined || d.content === content)),
      `${event} was not received`,
    )
  const clear = () => {
    for (const events of Object.values(received)) events.length = 0
  }
  const rows = Object.entries(table) as [EventName, Row][]

  for (const [n, [event, [, , , act]]] of rows.entries()) {
    clear()
    await act(w, n)
    await wait(event)
  }

  await restrict(w, restriction, () => setDisabled(operator, w.users.member, true))
  if (restriction === 'banned')
    for (const events of [received.member, received.robot]) await wait('SERVER_REMOVE', events)
  clear()
  const refused: EventName[] = []
  for (const [n, [event, row]] of rows.entries()) {
    const isReceived = row[restrictions.indexOf(restriction)] === 'yes'
    const acted = row[3](w, n + 100)
    if (isReceived) {
      await acted
      await wait(event)
    } else {
      // For example, a server is not offered to a banned user.
      await acted.catch(() => {})
      refused.push(event)
    }
  }
  // All sessions receive the events of a server in the same order.
  await say(w, 'End')
  await wait('MESSAGE_CREATE', received.friend, 'End')
  if (restriction !== 'disabled') {
    await w.end()
    await wait('MESSAGE_CREATE', received.member, 'End')
  }
  const ofServer = [...received.member, ...received.robot].filter(
    ({ d }) => (d.serverId ?? w.serverId) === w.serverId,
  )
  const wrong = refused.filter(event => ofServer.some(({ t }) => t === event))
  assert.deepEqual(wrong, [])
  const blocks = received.member.filter(({ t }) => t === 'BLOCK_UPDATE')
  assert.ok(blocks.every(({ d }) => d.userId === w.friendId))
}

for (const restriction of restrictions) {
  const name = `a ${restriction} user and their bot receive the events of the table`
  const ids = 'administration/disable, community/bans, community/blocks'
  eachService(`${name} (${ids})`, (_t, service) => check(restriction, service))
  test(`${name} on another node`, async t => {
    const [a, b] = (await startNodes(t)) ?? []
    if (a && b) await check(restriction, a, b)
  })
}
