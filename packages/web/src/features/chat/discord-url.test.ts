import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeHref } from '../../ui/safe-url.ts'
import { readDiscordUrl } from './discord-url.ts'

const read = (url: string) => readDiscordUrl(safeHref(url) ?? '')

test('a URL of a channel or message has ids (discord/links)', () => {
  for (const host of ['discord.com', 'ptb.discord.com', 'canary.discord.com', 'DISCORD.com']) {
    const channel = { kind: 'channel', serverId: '12', channelId: '34', messageId: undefined }
    assert.deepEqual(read(`https://${host}/channels/12/34`), channel)
    assert.deepEqual(read(`https://${host}/channels/12/34/56?x=1`), { ...channel, messageId: '56' })
    assert.deepEqual(read(`https://${host}/channels/@me/34/`), { ...channel, serverId: null })
  }
})

test('a URL of an invite has a code (discord/links)', () => {
  for (const url of [
    'https://discord.gg/aB_-9',
    'https://discord.com/invite/aB_-9',
    'https://discord.gg/aB_-9/#x',
  ]) {
    assert.deepEqual(read(url), { kind: 'invite', code: 'aB_-9' })
  }
})

test('other hosts, schemes, ports and paths have no meaning here', () => {
  const urls = [
    'http://discord.com/channels/12/34',
    'https://discord.com:8443/channels/12/34',
    'https://user@discord.com/channels/12/34',
    'https://discord.com.example.org/channels/12/34',
    'https://example.org/discord.com/channels/12/34',
    'https://evildiscord.com/channels/12/34',
    'https://other.discord.com/channels/12/34',
    'https://discord.com/channels/12',
    'https://discord.com/channels/12/34/56/78',
    'https://discord.com/channels/12/34x',
    'https://discord.com/channels/12/../../settings',
    'https://discord.com/channels/@me/34%2F..',
    'https://ptb.discord.com/invite/abc',
    'https://www.discord.gg/abc',
    'https://discord.gg/a/b',
    'https://discord.gg/a.b',
    'https://discord.gg/',
    'https://discord.com/login',
  ]
  for (const url of urls) assert.equal(read(url), undefined, url)
})
