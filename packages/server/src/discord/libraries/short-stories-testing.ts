import assert from 'node:assert/strict'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { register } from '@gatehouse/testkit/community'
import type { Stories, WorldOfNodes } from './bot-world-testing.ts'
import { interactionStories } from './interaction-stories-testing.ts'
import { connectionStories, serverStories } from './server-stories-testing.ts'

function pick(stories: Stories, ...names: string[]): Stories {
  return Object.fromEntries(
    names.map(name => {
      const story = stories[name]
      if (story === undefined) throw new Error(`There is no story ${name}.`)
      return [name, story]
    }),
  )
}

/** What each library is tested with: at least one use of each part of Discord's API. */
export const shortStories: Stories = {
  async 'knows its server and registers commands'(world) {
    const { ana, general } = world
    await world.logs('Ready: logger bot-log,general 3')
    const commands = await ana.client.call('listAvailableCommands', { id: general.id })
    const names = commands.map(({ name }) => name).sort()
    assert.deepEqual(names, ['choose', 'city', 'feedback', 'greet', 'poll', 'rules'])
  },

  ...pick(
    interactionStories,
    'responds to commands of all servers and of one',
    'suggests values of an option',
    'has buttons',
    'has a select menu with options',
    'opens a modal',
  ),
  ...pick(
    serverStories,
    'sends and receives direct messages',
    'creates, edits and deletes channels with overwrites',
  ),

  async 'bans, and reads the audit log'(world) {
    const { ana, ben, service, server } = world
    const dan = await register(service, 'dan')
    const { code } = await ana.client.call('createInvite', { id: server.id })
    await dan.client.call('acceptInvite', { code })
    await ben.say(`!ban ${dan.id} rude & wild`)
    await world.logs('Banned: dan')
    const [entry] = await ana.client.call('listAuditLog', { id: server.id })
    assert.deepEqual([entry?.action, entry?.reason], ['BAN_ADD', 'rude & wild'])
    await ben.say('!audit')
    await ben.hears('Audit: rude & wild by logger: 22,40,12,11,14,11,10,28,10,40')
  },

  ...pick(connectionStories, 'resumes after a lost connection and misses nothing'),
}

/** Of a bot that is connected to another node than the people. */
export const storiesOfNodes: Stories<WorldOfNodes> = {
  ...pick(
    shortStories,
    'knows its server and registers commands',
    'responds to commands of all servers and of one',
    'suggests values of an option',
    'has buttons',
    'has a select menu with options',
    'opens a modal',
    'sends and receives direct messages',
    'creates, edits and deletes channels with overwrites',
  ),

  async 'resumes on the other node after a lost connection, and misses nothing'(world) {
    const { ben, relay, service } = world
    relay.cut()
    await ben.say('!ping')
    world.moveBot()
    relay.release()
    // The nodes take a session over within some time of theirs.
    await advanceUntilSettled(service.clock, ben.hears('Pong!'), 1)
    await world.logs('Resumed')
    await ben.hearsResponse(await ben.run('greet'), 'Hello, ben!')
  },
}
