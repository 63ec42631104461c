import { fileURLToPath } from 'node:url'
import { testBotOfNodes, testShortBot } from './bot-stories-testing.ts'

const file = (name: string) => fileURLToPath(import.meta.resolve(`./${name}-bot.fixture.ts`))

testShortBot('sapphire (discord/bots)', file('sapphire'))
testShortBot('@discordjs/core (discord/bots)', file('discordjs-core'))
testShortBot('oceanic.js (discord/bots)', file('oceanic'))
testShortBot('Eris (discord/bots)', file('eris'), { https: true })
testShortBot('Discordeno (discord/bots)', file('discordeno'), { discordToken: true })
testShortBot('seyfert (discord/bots)', file('seyfert'), { https: true })

// With both compressions.
testBotOfNodes('@discordjs/core (discord/bots)', file('discordjs-core'))
testBotOfNodes('oceanic.js (discord/bots)', file('oceanic'))
