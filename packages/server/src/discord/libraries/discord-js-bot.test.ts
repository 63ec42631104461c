import { join } from 'node:path'
import { testBot } from './bot-stories-testing.ts'

testBot('discord.js', async () => [process.execPath, join(import.meta.dirname, 'discord-js-bot.fixture.ts')])
