import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { Server } from '@gatehouse/protocol/servers'
import { createAuditLog } from '../../server/src/audit/index.ts'
import { createLocalBus } from '../../server/src/bus/local-bus.ts'
import {
  type Channels,
  createChannelMoves,
  createChannels,
  createDirectMessages,
  createOverwrites,
  type DirectMessages,
  type Overwrites,
} from '../../server/src/community/channels/index.ts'
import { sweepDeletions } from '../../server/src/community/deletions.ts'
import { createInvites, type Invites } from '../../server/src/community/invites/index.ts'
import { createMembers, type Members } from '../../server/src/community/members/index.ts'
import {
  createMessageRepository,
  createMessages,
  type MessageRepository,
  type Messages,
} from '../../server/src/community/messages/index.ts'
import { createRoles, type Roles } from '../../server/src/community/roles/index.ts'
import { createServers, type Servers } from '../../server/src/community/servers/index.ts'
import { createDomainEventBus } from '../../server/src/events/domain-events.ts'
import { createEvents } from '../../server/src/events/gateway-events.ts'
import { createProxyUrls } from '../../server/src/images/media-proxy/index.ts'
import { createInstanceSettings } from '../../server/src/instance/index.ts'
import { createSnowflakes } from '../../server/src/kit/snowflake.ts'
import type { Database } from '../../server/src/storage/database.ts'
import { createDeletionRegistry } from '../../server/src/storage/deletion-registry.ts'
import { createTestClock, type TestClock } from './clock.ts'
import type { TestClient, TestResponse, TestService } from './service.ts'

/** The operations of `platform/` on a test database, without HTTP. Records events. */
export interface Community {
  db: Database
  clock: TestClock
  ids: () => string
  /** All messages that were published on the bus. */
  published: Published[]
  /** The `MemberRemoved` domain events. */
  removed: { serverId: string; userId: string }[]
  roles: Roles
  members: Members
  channels: Channels
  moves: ReturnType<typeof createChannelMoves>
  overwrites: Overwrites
  directMessages: DirectMessages
  servers: Servers
  invites: Invites
  messageRepository: MessageRepository
  messages: Messages
  /** Returns the id of the user. */
  sweepDeletions(batchSize?: number): Promise<void>
  createUser(username: string): Promise<string>
  createBot(username: string): Promise<string>
  /** Creates a server with the channel `general`, and adds members. */
  createServer(ownerId: string, ...memberIds: string[]): Promise<{ server: Server; general: Channel }>
}

/** A message on the bus. */
export interface Published {
  subject: string
  t: string
  d: unknown
}

export function createCommunity(db: Database): Community {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const published: Published[] = []
  const removed: { serverId: string; userId: string }[] = []
  const events = createEvents({
    publish: (subject, message) => published.push({ subject, ...(message as Omit<Published, 'subject'>) }),
  })
  const domainEvents = createDomainEventBus()
  domainEvents.subscribe({
    name: 'interactions',
    handlers: { MemberRemoved: async (tx, member) => tx.afterCommit(() => removed.push(member)) },
  })
  const auditLog = createAuditLog({ db, clock: clock.now, ids, events })
  const instance = createInstanceSettings({
    db,
    bus: createLocalBus(),
    registration: 'open',
    onError: assert.ifError,
  })
  const deps = { db, clock: clock.now, ids, events, domainEvents, auditLog, instance }
  const requireVerified = async () => undefined
  const roles = createRoles(deps)
  const overwrites = createOverwrites(deps)
  const members = createMembers({ ...deps, roles, deleteOverwrites: overwrites.deleteOverwritesOfMember })
  const channels = createChannels(deps)
  const servers = createServers({ ...deps, roles, channels, members, requireVerified })
  const messageRepository = createMessageRepository({
    ...deps,
    proxyUrls: createProxyUrls(new Uint8Array(32)),
  })

  async function createAccount(username: string, bot: 0 | 1): Promise<string> {
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
    overwrites,
    moves: createChannelMoves(deps),
    directMessages: createDirectMessages(deps),
    servers,
    invites: createInvites({ ...deps, members }),
    messageRepository,
    messages: createMessages({ ...deps, repository: messageRepository, requireVerified }),
    sweepDeletions: batchSize => sweepDeletions({ ...deps, deletions: createDeletionRegistry() }, batchSize),
    createUser: username => createAccount(username, 0),
    createBot: username => createAccount(username, 1),
    async createServer(ownerId, ...memberIds) {
      const server = await servers.createServer(ownerId, { name: 'Server' })
      const [general] = await channels.listChannels(ownerId, server.id)
      assert.ok(general)
      for (const memberId of memberIds) {
        await db.transaction(tx =>
          members.addMember(
            tx,
            { ...server, icon: null, invitesPaused: 0, verificationLevel: 'none' },
            memberId,
          ),
        )
      }
      return { server, general }
    },
  }
}

/** Returns the payloads of one event on one subject, in order. */
export function payloads<Name extends keyof EventMap>(
  published: readonly Published[],
  subject: string,
  name: Name,
): EventMap[Name][] {
  // `createEvents` types the payload of each event name.
  return published
    .filter(event => event.subject === subject && event.t === name)
    .map(event => event.d as EventMap[Name])
}

/** A user who registered over HTTP. The client has the session cookie. */
export interface TestUser {
  id: string
  username: string
  email: string
  password: string
  client: TestClient
}

export async function register(
  service: Pick<TestService, 'client'>,
  username: string,
  password = 'correct horse',
  fields: { displayName?: string } = {},
): Promise<TestUser> {
  const client = service.client()
  const { body } = await registerWith(client, username, { password, ...fields })
  return { id: body.id, username, email: `${username}@example.org`, password, client }
}

/** Registers a user with a client, which is signed in afterwards. */
export async function registerWith(
  client: TestClient,
  username: string,
  fields: object,
): Promise<TestResponse> {
  const email = `${username}@example.org`
  const response = await client.json('POST', '/api/auth/register', { username, email, ...fields })
  assert.equal(response.status, 201, response.text)
  return response
}

/** Creates a server over HTTP. `members` join it with an invite. */
export async function createServer(
  owner: TestUser,
  ...members: TestUser[]
): Promise<{ server: Server; general: Channel }> {
  const server = await owner.client.call('createServer', { body: { name: 'Server' } })
  const { code } = await owner.client.call('createInvite', { id: server.id })
  for (const member of members) await member.client.call('acceptInvite', { code })
  const [general] = await owner.client.call('listChannels', { id: server.id })
  assert.ok(general)
  return { server, general }
}
