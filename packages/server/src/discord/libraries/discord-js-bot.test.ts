import { fileURLToPath } from 'node:url'
import { testBot } from './bot-stories-testing.ts'

const file = fileURLToPath(import.meta.resolve('./discord-js-bot.fixture.ts'))

testBot('discord.js (discord/bots)', async () => [process.execPath, file])
