import assert from 'node:assert/strict'
import type { TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import {
  always,
  type Caller,
  expectOutcome,
  newest,
  newUser,
  pick,
  refusal,
  sequence,
  shortText,
  strangers,
  userCaller,
} from './steps.ts'

interface Server {
  id: string
  ownerId: string
  memberIds: Set<string>
  bannedIds: Set<string>
  deleted: boolean
}

interface Channel {
  id: string
  server: Server
  deleted: boolean
}

interface Message {
  id: string
  channel: Channel
  authorId: string
  content: string
  deleted: boolean
}

interface Invite {
  code: string
  server: Server
  creatorId: string
  usesLeft: number
  revoked: boolean
}

interface State {
  callers: Caller[]
  servers: Server[]
  channels: Channel[]
  messages: Message[]
  invites: Invite[]
}

/** The index of a caller, mostly of the first two users. */
const by = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5)
const some = fc.record({ by, at: newest, text: shortText })

function callerOf({ callers }: State, index: number): Caller {
  return pick(callers.toReversed(), index)
}

const usersAndBots: readonly Caller['kind'][] = ['user', 'bot']

/** What a caller gets who is not a member, or not the owner although only the owner has the permission. */
function serverRefusal(
  caller: Caller,
  { deleted, memberIds, ownerId }: Server,
  { ownerOnly = false, accepted = usersAndBots } = {},
): string | undefined {
  if (refusal(caller, accepted)) return refusal(caller, accepted)
  if (deleted || !memberIds.has(caller.id)) return '404 not_found'
  return ownerOnly && ownerId !== caller.id ? '403 missing_permission' : undefined
}

function channelRefusal(caller: Caller, channel: Channel, options = {}): string | undefined {
  const refused = refusal(caller, usersAndBots)
  return refused ?? (channel.deleted ? '404 not_found' : serverRefusal(caller, channel.server, options))
}

const hasServer = ({ servers }: State) => servers.length > 0
const hasChannel = ({ channels }: State) => channels.length > 0
const hasMessage = ({ messages }: State) => messages.length > 0
const hasInvite = ({ invites }: State) => invites.length > 0

const isUsable = ({ usesLeft, revoked, server }: Invite) => usesLeft > 0 && !revoked && !server.deleted

async function start(service: TestService): Promise<State> {
  const users = [await newUser(service), await newUser(service), await newUser(service)] as const
  const callers = [...users.map(userCaller), ...(await strangers(service, users[0]))]
  return { callers, servers: [], channels: [], messages: [], invites: [] }
}

/** Servers with channels, messages, invites, members and bans. */
export const community = sequence<State>('community', start, step => [
  step(1, 'create server', always, some, async (state, input) => {
    const caller = callerOf(state, input.by)
    const reply = await caller.send('POST', '/api/servers', { name: input.text })
    if (!expectOutcome(reply, refusal(caller) ?? '201')) return
    const ids = { memberIds: new Set([caller.id]), bannedIds: new Set<string>() }
    const server = { id: reply.body.id, ownerId: caller.id, ...ids, deleted: false }
    state.servers.push(server)
    const channels = await caller.send('GET', `/api/servers/${server.id}/channels`)
    expectOutcome(channels, '200')
    for (const { id } of channels.body) state.channels.push({ id, server, deleted: false })
  }),
  step(1, 'rename server', hasServer, some, async (state, { by, at, text }) => {
    const [caller, server] = [callerOf(state, by), pick(state.servers, at)]
    const reply = await caller.send('PATCH', `/api/servers/${server.id}`, { name: text })
    if (expectOutcome(reply, serverRefusal(caller, server, { ownerOnly: true }) ?? '200'))
      assert.equal(reply.body.name, text)
  }),
  step(1, 'delete server', hasServer, some, async (state, { by, at }) => {
    const [caller, server] = [callerOf(state, by), pick(state.servers, at)]
    const reply = await caller.send('DELETE', `/api/servers/${server.id}`)
    if (expectOutcome(reply, serverRefusal(caller, server, { ownerOnly: true, accepted: ['user'] }) ?? '204'))
      server.deleted = true
  }),
  step(1, 'create channel', hasServer, some, async (state, { by, at, text }) => {
    const [caller, server] = [callerOf(state, by), pick(state.servers, at)]
    const reply = await caller.send('POST', `/api/servers/${server.id}/channels`, { name: text })
    if (expectOutcome(reply, serverRefusal(caller, server, { ownerOnly: true }) ?? '201'))
      state.channels.push({ id: reply.body.id, server, deleted: false })
  }),
  step(1, 'delete channel', hasChannel, some, async (state, { by, at }) => {
    const [caller, channel] = [callerOf(state, by), pick(state.channels, at)]
    const refused = channelRefusal(caller, channel, { ownerOnly: true })
    const reply = await caller.send('DELETE', `/api/channels/${channel.id}`)
    if (expectOutcome(reply, refused ?? '204')) channel.deleted = true
  }),
  step(3, 'create message', hasChannel, some, async (state, { by, at, text }) => {
    const [caller, channel] = [callerOf(state, by), pick(state.channels, at)]
    const reply = await caller.send('POST', `/api/channels/${channel.id}/messages`, { content: text })
    if (!expectOutcome(reply, channelRefusal(caller, channel) ?? '201')) return
    state.messages.push({ id: reply.body.id, channel, authorId: caller.id, content: text, deleted: false })
  }),
  step(
    3,
    'message',
    hasMessage,
    fc.record({
      by,
      at: newest,
      text: shortText,
      method: fc.constantFrom('GET', 'PATCH', 'DELETE'),
    }),
    async (state, { by, at, text, method }) => {
      const [caller, message] = [callerOf(state, by), pick(state.messages, at)]
      const { channel } = message
      const isAuthor = message.authorId === caller.id
      const mayChange =
        method === 'GET' || isAuthor || (method === 'DELETE' && channel.server.ownerId === caller.id)
      const refused =
        channelRefusal(caller, channel) ??
        (message.deleted ? '404 not_found' : mayChange ? undefined : '403 missing_permission')
      const body = method === 'PATCH' ? { content: text } : undefined
      const reply = await caller.send(method, `/api/channels/${channel.id}/messages/${message.id}`, body)
      if (!expectOutcome(reply, refused ?? (method === 'DELETE' ? '204' : '200'))) return
      if (method === 'PATCH') message.content = text
      if (method === 'DELETE') message.deleted = true
      else assert.equal(reply.body.content, message.content)
    },
  ),
  step(1, 'list messages', hasChannel, some, async (state, { by, at }) => {
    const [caller, channel] = [callerOf(state, by), pick(state.channels, at)]
    const reply = await caller.send('GET', `/api/channels/${channel.id}/messages?limit=100`)
    if (!expectOutcome(reply, channelRefusal(caller, channel) ?? '200')) return
    const expected = state.messages.filter(message => message.channel === channel && !message.deleted)
    assert.deepEqual(
      reply.body.map(({ id, content }: Message) => [id, content]),
      expected.map(({ id, content }) => [id, content]).toReversed(),
    )
  }),
  step(
    2,
    'create invite',
    hasServer,
    fc.record({ by, at: newest, maxUses: fc.integer({ min: 1, max: 3 }) }),
    async (state, { by, at, maxUses }) => {
      const [caller, server] = [callerOf(state, by), pick(state.servers, at)]
      const reply = await caller.send('POST', `/api/servers/${server.id}/invites`, { maxUses })
      if (!expectOutcome(reply, serverRefusal(caller, server) ?? '201')) return
      const { code } = reply.body
      state.invites.push({ code, server, creatorId: caller.id, usesLeft: maxUses, revoked: false })
    },
  ),
  step(3, 'accept invite', hasInvite, some, async (state, { by, at }) => {
    const [caller, invite] = [callerOf(state, by), pick(state.invites, at)]
    const { code, server } = invite
    const preview = await caller.send('GET', `/api/invites/${code}`)
    expectOutcome(preview, isUsable(invite) ? '200' : '404 not_found')
    const refused =
      refusal(caller) ??
      (isUsable(invite) ? undefined : '404 not_found') ??
      (server.bannedIds.has(caller.id) ? '403 banned' : undefined) ??
      (server.memberIds.has(caller.id) ? '409 conflict' : undefined)
    const reply = await caller.send('POST', `/api/invites/${code}`)
    if (!expectOutcome(reply, refused ?? '200')) return
    invite.usesLeft--
    server.memberIds.add(caller.id)
  }),
  step(1, 'revoke invite', hasInvite, some, async (state, { by, at }) => {
    const [caller, invite] = [callerOf(state, by), pick(state.invites, at)]
    const ownerOnly = invite.creatorId !== caller.id
    const refused =
      refusal(caller, usersAndBots) ??
      (invite.revoked ? '404 not_found' : serverRefusal(caller, invite.server, { ownerOnly }))
    const reply = await caller.send('DELETE', `/api/invites/${invite.code}`)
    if (expectOutcome(reply, refused ?? '204')) invite.revoked = true
  }),
  step(
    1,
    'remove member',
    hasServer,
    fc.record({ by, at: newest, who: fc.nat({ max: 2 }) }),
    async (state, { by, at, who }) => {
      const [caller, server, member] = [
        callerOf(state, by),
        pick(state.servers, at),
        pick(state.callers.slice(0, 3), who),
      ]
      const isSelf = member.id === caller.id
      const refused =
        serverRefusal(caller, server, { ownerOnly: !isSelf }) ??
        (isSelf && server.ownerId === caller.id ? '409 conflict' : undefined) ??
        (server.memberIds.has(member.id) ? undefined : '404 not_found')
      const reply = await caller.send('DELETE', `/api/servers/${server.id}/members/${member.id}`)
      if (expectOutcome(reply, refused ?? '204')) server.memberIds.delete(member.id)
    },
  ),
  step(
    1,
    'ban',
    hasServer,
    fc.record({ by, at: newest, who: fc.nat({ max: 2 }), ends: fc.boolean() }),
    async (state, { by, at, who, ends }) => {
      const [caller, server, user] = [
        callerOf(state, by),
        pick(state.servers, at),
        pick(state.callers.slice(0, 3), who),
      ]
      const isSelf = user.id === caller.id
      const refused =
        serverRefusal(caller, server, { ownerOnly: true }) ??
        (ends && !server.bannedIds.has(user.id) ? '404 not_found' : undefined) ??
        (!ends && isSelf ? '409 conflict' : undefined)
      const path = `/api/servers/${server.id}/bans/${user.id}`
      const reply = ends ? await caller.send('DELETE', path) : await caller.send('PUT', path, {})
      if (!expectOutcome(reply, refused ?? '204')) return
      if (ends) server.bannedIds.delete(user.id)
      else {
        server.bannedIds.add(user.id)
        server.memberIds.delete(user.id)
      }
    },
  ),
])
