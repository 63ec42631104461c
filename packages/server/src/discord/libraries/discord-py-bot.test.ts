import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { findPython } from '@gatehouse/testkit/python'
import { testBot } from './bot-stories-testing.ts'

const python = await findPython('discord')
const versionOf = (command: string) =>
  Number(execFileSync(command, ['-c', 'import discord; print("%d.%02d" % discord.version_info[:2])']))

testBot(
  'discord.py (discord/bots)',
  async () => (python ? [python, join(import.meta.dirname, 'discord-py-bot.fixture.py')] : undefined),
  {
    async 'shows usernames in versions before 2.3'({ ben }) {
      await ben.client.call('updateCurrentUser', { body: { displayName: 'Benjamin' } })
      const shown = python && versionOf(python) < 2.03 ? 'ben' : 'Benjamin'
      await ben.hearsResponse(await ben.run('greet'), `Hello, ${shown}!`)
      await ben.client.call('updateCurrentUser', { body: { displayName: 'ben' } })
    },
  },
)
