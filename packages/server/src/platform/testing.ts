import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { Server } from '@gatehouse/protocol/servers'
import { createSnowflakes } from '../kit/snowflake.ts'
import { createTestClock, type TestClock } from '../kit/testing.ts'
import type { Database } from '../storage/database.ts'
import type { Client, TestService } from '../testing.ts'
import {
  type Channels,
  createChannels,
  createDirectMessages,
  createOverwrites,
  type DirectMessages,
  type Overwrites,
} from './channels/index.ts'
import { createEvents, type Event } from './events.ts'
import { createInvites, type Invites } from './invites/index.ts'
import { createMembers, type Members } from './members/index.ts'
import { type Conversation, createConversation, createMessages, type Messages } from './messages/index.ts'
import { createRoles, type Roles } from './roles/index.ts'
import { createServers, type Servers } from './servers/index.ts'

/** The community without HTTP around it, on a database of the test, with everything it says written down. */
export interface Community {
  db: Database
  clock: TestClock
  ids: () => string
  /** What went over the bus so far. */
  published: Published[]
  /** Whose membership ended, as the features above are told. */
  removed: { serverId: string; userId: string }[]
  roles: Roles
  members: Members
  channels: Channels
  overwrites: Overwrites
  directMessages: DirectMessages
  servers: Servers
  invites: Invites
  messages: Messages
  conversation: Conversation
  /** A new account; its id. */
  person(username: string): Promise<string>
  bot(username: string): Promise<string>
  /** A server of `ownerId` with its channel `general` and further members. */
  server(ownerId: string, ...memberIds: string[]): Promise<{ server: Server; general: Channel }>
}

export interface Published extends Event {
  subject: string
}

export function createCommunity(db: Database): Community {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const published: Published[] = []
  const removed: { serverId: string; userId: string }[] = []
  const events = createEvents({
    publish: (subject, message) => published.push({ subject, ...(message as Event) }),
  })
  const roles = createRoles({ db, ids, events })
  const members = createMembers({
    db,
    clock: clock.now,
    ids,
    events,
    roles,
    onMemberRemoved: async (tx, serverId, userId) => {
      tx.afterCommit(() => removed.push({ serverId, userId }))
    },
  })
  const channels = createChannels({ db, clock: clock.now, ids, events })
  const requireVerified = async () => undefined
  const servers = createServers({
    db,
    clock: clock.now,
    ids,
    events,
    roles,
    channels,
    members,
    requireVerified,
  })
  const messages = createMessages({ clock: clock.now, ids, events })

  async function account(username: string, bot: 0 | 1): Promise<string> {
    const id = ids()
    await db.run`
      INSERT INTO users (id, username, display_name, bot, created_at)
      VALUES (${id}, ${username}, ${username.toUpperCase()}, ${bot}, ${clock.now()})`
    return id
  }

  return {
    db,
    clock,
    ids,
    published,
    removed,
    roles,
    members,
    channels,
    overwrites: createOverwrites({ db, events }),
    directMessages: createDirectMessages({ db, clock: clock.now, ids, events }),
    servers,
    invites: createInvites({ db, clock: clock.now, members }),
    messages,
    conversation: createConversation({ db, messages, requireVerified }),
    person: username => account(username, 0),
    bot: username => account(username, 1),
    async server(ownerId, ...memberIds) {
      const server = await servers.createServer(ownerId, { name: 'Server' })
      const [general] = await channels.listChannels(ownerId, server.id)
      assert.ok(general)
      for (const memberId of memberIds) {
        await db.transaction(tx => members.addMember(tx, { ...server, icon: null }, memberId))
      }
      return { server, general }
    },
  }
}

/** The payloads of one event on one subject, in order. */
export function payloads<Name extends keyof EventMap>(
  published: readonly Published[],
  subject: string,
  name: Name,
): EventMap[Name][] {
  // What was published under a name has its payload: the test says what it expects of it.
  return published
    .filter(event => event.subject === subject && event.t === name)
    .map(event => event.d as EventMap[Name])
}

/** A person who has registered over HTTP and is signed in. */
export interface Person {
  id: string
  client: Client
}

export async function register(service: Pick<TestService, 'client'>, username: string): Promise<Person> {
  const client = service.client()
  const reply = await client.json('POST', '/api/auth/register', {
    username,
    email: `${username}@example.org`,
    password: 'correct horse',
  })
  assert.equal(reply.status, 201, reply.text)
  return { id: reply.body.id, client }
}

/** A server of `owner` over HTTP; all others have joined. */
export async function found(
  owner: Person,
  ...others: Person[]
): Promise<{ server: Server; general: Channel }> {
  const server: Server = (await owner.client.json('POST', '/api/servers', { name: 'Server' })).body
  const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
  for (const other of others) {
    const joined = await other.client.json('POST', `/api/invites/${invite.body.code}`)
    assert.equal(joined.status, 200, joined.text)
  }
  const channels = await owner.client.get(`/api/servers/${server.id}/channels`)
  return { server, general: channels.body[0] }
}
