import { join } from 'node:path'
import { findPython } from '@gatehouse/testkit/python'
import { testBot } from './bot-stories-testing.ts'

testBot('discord.py (discord/bots)', async () => {
  const python = await findPython('discord')
  return python === undefined ? undefined : [python, join(import.meta.dirname, 'discord-py-bot.fixture.py')]
})
