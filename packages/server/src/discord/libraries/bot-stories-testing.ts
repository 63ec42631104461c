import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines, skipIfUnavailable } from '@gatehouse/testkit/databases'
import {
  type BotProgram,
  type Stories,
  startWorld,
  startWorldOfNodes,
  type WorldOptions,
} from './bot-world-testing.ts'
import { interactionStories } from './interaction-stories-testing.ts'
import { connectionStories, serverStories } from './server-stories-testing.ts'
import { shortStories, storiesOfNodes } from './short-stories-testing.ts'

/**
 * Declares the tests of a bot, whose program `find` returns, with stories of its library. They are skipped if there is
 * none.
 */
export function testBot(
  library: string,
  find: () => Promise<BotProgram | undefined>,
  ofLibrary: Stories = {},
): void {
  const stories = { ...interactionStories, ...serverStories, ...ofLibrary, ...connectionStories }
  for (const engine of engines) {
    test(`a bot of ${library} runs unchanged (${engine.name})`, async t => {
      const program = await find()
      if (program === undefined) return t.skip(`${library} is not installed`)
      if (await skipIfUnavailable(t, engine.name)) return
      const world = await startWorld(t, program, engine.name)
      for (const [name, tell] of Object.entries(stories)) await t.test(name, () => tell(world))
    })

    test(`a bot of ${library} waits when it sends too much, and loses nothing (${engine.name})`, async t => {
      const program = await find()
      if (program === undefined) return t.skip(`${library} is not installed`)
      if (await skipIfUnavailable(t, engine.name)) return
      const world = await startWorld(t, program, engine.name, {
        env: { RATE_LIMITS: 'channelMessages=3/1' },
      })
      const { ben, bot, general, service } = world
      await world.logs('Ready: logger bot-log,general 3 true')
      await ben.say('!burst 8')
      const heard: string[] = []
      while (heard.length < 8) {
        // The clock stands still: the service accepts three messages at each of its seconds.
        if (heard.length > 0 && heard.length % 3 === 0) service.clock.advance(1000)
        const { content } = await ben.sees(
          'MESSAGE_CREATE',
          ({ author, channelId }) => author.id === bot.botId && channelId === general.id,
        )
        heard.push(content)
      }
      assert.deepEqual(
        heard.sort(),
        heard.map((_, index) => `Burst ${index}`),
      )
    })
  }
}

/** Declares the tests of a bot of the short story, which Node.js runs. */
export function testShortBot(library: string, file: string, options: WorldOptions = {}): void {
  for (const engine of engines)
    test(`a bot of ${library} runs unchanged (${engine.name})`, async t => {
      if (await skipIfUnavailable(t, engine.name)) return
      const world = await startWorld(t, [process.execPath, file], engine.name, options)
      for (const [name, tell] of Object.entries(shortStories)) await t.test(name, () => tell(world))
    })
}

/** Declares the test of a bot of the short story that is connected to another node than the people. */
export function testBotOfNodes(library: string, file: string): void {
  test(`a bot of ${library} runs over two nodes (postgres)`, async t => {
    const world = await startWorldOfNodes(t, [process.execPath, file])
    if (world === undefined) return
    for (const [name, tell] of Object.entries(storiesOfNodes)) await t.test(name, () => tell(world))
  })
}
