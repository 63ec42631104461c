import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { createBot, type TestBot } from '@gatehouse/testkit/interactions'
import type { TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import { always, expectOutcome, newest, newUser, nobody, pick, sequence, shortText } from './steps.ts'

interface Bot {
  bot: TestBot
  isInstalled: boolean
  /** The ids of its commands by name, global and on the server. */
  commands: Map<string, string>
  serverCommands: Map<string, string>
}

interface Interaction {
  event: InteractionCreate
  owner: Bot
  user: TestUser
  state: 'pending' | 'answered' | 'deferred' | 'timed_out' | 'failed'
  isExpired: boolean
  /** The bot was removed from the server (bots/bot-removed). */
  isRevoked: boolean
  /** The first response. */
  original: { id: string; content: string; ephemeral: boolean; deleted: boolean } | undefined
  followups: { id: string; deleted: boolean }[]
}

interface State {
  service: TestService
  /** The owner of the server, a member, and a stranger. */
  users: TestUser[]
  serverId: string
  channelId: string
  bots: Bot[]
  interactions: Interaction[]
}

const names = ['roll', 'poll', 'ping']
const which = fc.nat({ max: 1 })
const user = fc.constantFrom(0, 0, 1, 1, 1, 2)
const hasInteraction = ({ interactions }: State) => interactions.length > 0

/** The ids of the commands that the channel offers. A server command hides a global one of the same name. */
function offered({ bots }: State): Map<string, { id: string; owner: Bot; name: string }> {
  return new Map(
    bots
      .filter(({ isInstalled }) => isInstalled)
      .flatMap(owner =>
        [...new Map([...owner.commands, ...owner.serverCommands])].map(
          ([name, id]) => [id, { id, owner, name }] as const,
        ),
      ),
  )
}

function toCommands(names: readonly string[]): object[] {
  return names.map(name => ({ name, description: `Runs ${name}` }))
}

function readIds(commands: readonly { id: string; name: string }[]): Map<string, string> {
  return new Map(commands.map(({ id, name }) => [name, id]))
}

/** What a request for the responses of an interaction gets in its state. */
function followupRefusal({ state, isExpired, isRevoked }: Interaction): string | undefined {
  if (isRevoked) return '404 not_found'
  if (isExpired) return '410 interaction_token_expired'
  if (state === 'pending') return '409 interaction_not_answered'
  if (state === 'timed_out') return '410 interaction_timed_out'
  return state === 'failed' ? '404 not_found' : undefined
}

const callbackRefusals = {
  pending: undefined,
  answered: '409 interaction_already_answered',
  deferred: '409 interaction_already_answered',
  timed_out: '410 interaction_timed_out',
  failed: '404 not_found',
}

async function start(service: TestService): Promise<State> {
  const users = [await newUser(service), await newUser(service), await newUser(service)] as const
  const [owner, member] = users
  const { server, general } = await createServer(owner, member)
  const bots: Bot[] = []
  for (const name of ['a', 'b']) {
    const bot = await createBot(service, owner, `${name}${owner.username}`)
    await bot.connect()
    await addBot(owner.client, bot.applicationId, server.id)
    const reply = await bot.json('PUT', '/api/applications/@me/commands', toCommands(names))
    bots.push({ bot, isInstalled: true, commands: readIds(reply.body), serverCommands: new Map() })
  }
  return {
    ...{ service, users: [...users], bots, interactions: [] },
    ...{ serverId: server.id, channelId: general.id },
  }
}

/** Commands of two bots, their use, and the responses. */
export const interactions = sequence<State>('interactions', start, step => [
  step(2, 'install bot', always, fc.record({ which }), async ({ users, serverId, bots }, { which }) => {
    const [owner, record] = [users[0], pick(bots, which)]
    assert.ok(owner)
    await addBot(owner.client, record.bot.applicationId, serverId)
    record.isInstalled = true
  }),
  step(
    1,
    'remove bot',
    always,
    fc.record({ which, user }),
    async ({ users, serverId, bots, interactions }, { which, user: at }) => {
      const [caller, record] = [pick(users.toReversed(), at), pick(bots, which)]
      const reply = await caller.client.json('DELETE', `/api/servers/${serverId}/members/${record.bot.botId}`)
      const refused = ['', '403 missing_permission', '404 not_found'][users.indexOf(caller)]
      if (!expectOutcome(reply, refused || (record.isInstalled ? '204' : '404 not_found'))) return
      record.isInstalled = false
      record.serverCommands.clear()
      for (const interaction of interactions) {
        if (interaction.owner !== record || interaction.isExpired) continue
        interaction.isRevoked = true
        if (interaction.state === 'pending' || interaction.state === 'deferred') interaction.state = 'failed'
      }
    },
  ),
  step(
    2,
    'register commands',
    always,
    fc.record({ which, chosen: fc.subarray(names), onServer: fc.boolean() }),
    async ({ serverId, bots }, { which, chosen, onServer }) => {
      const record = pick(bots, which)
      const path = onServer
        ? `/api/applications/@me/servers/${serverId}/commands`
        : '/api/applications/@me/commands'
      const reply = await record.bot.json('PUT', path, toCommands(chosen))
      if (!expectOutcome(reply, onServer && !record.isInstalled ? '404 not_found' : '200')) return
      const ids = readIds(reply.body)
      const before = onServer ? record.serverCommands : record.commands
      // (bots/command-ids)
      for (const [name, id] of before) if (ids.has(name)) assert.equal(ids.get(name), id)
      if (onServer) record.serverCommands = ids
      else record.commands = ids
    },
  ),
  step(1, 'list commands', always, fc.record({ user }), async (state, { user: at }) => {
    const caller = pick(state.users.toReversed(), at)
    const reply = await caller.client.get(`/api/channels/${state.channelId}/commands`)
    if (!expectOutcome(reply, caller === state.users[2] ? '404 not_found' : '200')) return
    const ids = reply.body.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids.toSorted(), [...offered(state).keys()].toSorted())
  }),
  step(
    5,
    'run command',
    always,
    fc.record({ user, which, name: fc.constantFrom(...names), onServer: fc.boolean() }),
    async (state, { user: at, which, name, onServer }) => {
      const [caller, owner] = [pick(state.users.toReversed(), at), pick(state.bots, which)]
      const commandId = (onServer ? owner.serverCommands.get(name) : undefined) ?? owner.commands.get(name)
      const body = { type: 'command', channelId: state.channelId, commandId: commandId ?? state.serverId }
      const isOffered = commandId !== undefined && offered(state).has(commandId)
      const reply = await caller.client.json('POST', '/api/interactions', body)
      if (!expectOutcome(reply, isOffered && caller !== state.users[2] ? '202' : '404 not_found')) return
      const event = owner.bot.received.find(({ id }) => id === reply.body.id)
      assert.ok(event, 'the bot received no event')
      state.interactions.push({
        ...{ event, owner, user: caller, state: 'pending', isExpired: false, isRevoked: false },
        ...{ original: undefined, followups: [] },
      })
    },
  ),
  step(
    5,
    'respond',
    hasInteraction,
    fc.record({
      at: newest,
      type: fc.constantFrom('message', 'message', 'defer', 'update'),
      ephemeral: fc.boolean(),
      content: shortText,
    }),
    async ({ interactions }, { at, type, ephemeral, content }) => {
      const interaction = pick(interactions, at)
      const { owner, event, isRevoked, state } = interaction
      const data = type === 'defer' ? { ephemeral } : { content, ephemeral }
      const reply = await owner.bot.callback(event, { type, data })
      // A second response is late if the interaction has timed out in the meantime, as soon as that is stored.
      if (state === 'timed_out' && interaction.original && !isRevoked && reply.status === 409) return
      // (bots/callback-type)
      const refused =
        (isRevoked ? '404 not_found' : callbackRefusals[state]) ??
        (type === 'update' ? '400 validation_failed' : undefined)
      if (!expectOutcome(reply, refused ?? '200')) return
      const { message } = reply.body
      interaction.state = type === 'defer' ? 'deferred' : 'answered'
      interaction.original = { id: message.id, content: message.content, ephemeral, deleted: false }
    },
  ),
  step(
    3,
    'follow up',
    hasInteraction,
    fc.record({ at: newest, ephemeral: fc.boolean(), content: shortText }),
    async ({ interactions }, { at, ephemeral, content }) => {
      const interaction = pick(interactions, at)
      const reply = await interaction.owner.bot.followup(interaction.event, { content, ephemeral })
      if (!expectOutcome(reply, followupRefusal(interaction) ?? '200')) return
      const { id } = reply.body
      const { original } = interaction
      if (interaction.state === 'deferred') {
        // (bots/placeholder-id)
        if (original?.ephemeral === ephemeral) assert.equal(id, original.id)
        interaction.original = { id, content, ephemeral, deleted: false }
        interaction.state = 'answered'
      } else interaction.followups.push({ id, deleted: false })
    },
  ),
  step(
    3,
    'original response',
    hasInteraction,
    fc.record({ at: newest, method: fc.constantFrom('GET', 'PATCH', 'DELETE'), content: shortText }),
    async ({ interactions }, { at, method, content }) => {
      const interaction = pick(interactions, at)
      const { original, owner, event } = interaction
      const body = method === 'PATCH' ? { content } : undefined
      const reply = await owner.bot.response(method, event, 'original', body)
      const refused = followupRefusal(interaction) ?? (original?.deleted ? '404 not_found' : undefined)
      if (!expectOutcome(reply, refused ?? (method === 'DELETE' ? '204' : '200')) || !original) return
      if (method === 'PATCH') original.content = content
      if (method === 'DELETE') original.deleted = true
      else assert.equal(reply.body.content, original.content)
      if (method !== 'GET') interaction.state = 'answered'
    },
  ),
  step(
    2,
    'response',
    ({ interactions }) => interactions.some(({ followups }) => followups.length > 0),
    fc.record({ at: newest, of: newest, method: fc.constantFrom('PATCH', 'DELETE'), content: shortText }),
    async ({ interactions }, { at, of, method, content }) => {
      const interaction = pick(
        interactions.filter(({ followups }) => followups.length > 0),
        at,
      )
      const message = pick(interaction.followups, of)
      const body = method === 'PATCH' ? { content } : undefined
      const reply = await interaction.owner.bot.response(
        method,
        interaction.event,
        `followup/${message.id}`,
        body,
      )
      const refused = followupRefusal(interaction) ?? (message.deleted ? '404 not_found' : undefined)
      if (expectOutcome(reply, refused ?? (method === 'DELETE' ? '204' : '200')) && method === 'DELETE')
        message.deleted = true
    },
  ),
  step(
    1,
    'respond as another bot, and without a bot',
    hasInteraction,
    fc.record({ at: newest }),
    async ({ service, bots, interactions, users }, { at }) => {
      const { owner, event } = pick(interactions, at)
      const body = { type: 'message', data: { content: 'Not mine' } }
      const path = `/api/interactions/${event.id}/${event.token}/callback`
      const other = bots.find(bot => bot !== owner)
      assert.ok(other && users[0])
      expectOutcome(await other.bot.callback(event, body), '404 not_found')
      expectOutcome(await nobody(service).send('POST', path, body), '401 unauthenticated')
      // The route does not read cookies.
      expectOutcome(await users[0].client.json('POST', path, body), '401 unauthenticated')
      const wrongToken = { ...event, token: `${event.token.slice(0, -1)}_` }
      expectOutcome(await owner.bot.callback(wrongToken, body), '404 not_found')
    },
  ),
  step(
    2,
    'state of an interaction',
    hasInteraction,
    fc.record({ at: newest, user }),
    async ({ interactions, users }, { at, user: of }) => {
      const [interaction, caller] = [pick(interactions, at), pick(users.toReversed(), of)]
      const reply = await caller.client.get(`/api/interactions/${interaction.event.id}`)
      if (expectOutcome(reply, caller === interaction.user ? '200' : '404 not_found'))
        assert.equal(reply.body.state, interaction.state)
    },
  ),
  step(
    1,
    'wait',
    always,
    fc.record({ seconds: fc.constantFrom(1, 3, 900) }),
    async ({ service, interactions }, { seconds }) => {
      service.clock.advance(seconds * 1000)
      for (const interaction of interactions) {
        const { deadlineAt, expiresAt } = interaction.event
        const now = service.clock.now()
        if (interaction.state === 'pending' && now >= Date.parse(deadlineAt)) interaction.state = 'timed_out'
        if (now < Date.parse(expiresAt)) continue
        interaction.isExpired = true
        if (interaction.state === 'deferred') interaction.state = 'timed_out'
      }
    },
  ),
])
