import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { makeWorld, type World } from '../../server/src/interactions/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { launch, openAs } from './testing.ts'

/** What axe finds, one line for each place. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<
    { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[]
  >('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)')
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}

interface Screen {
  name: string
  path: string
  /** What shows that it is there. */
  shows: string
  /** Presses these in turn. */
  press?: readonly (string | RegExp)[]
  opens?: string
}

async function screensOf({ owner, serverId, channelId, bot }: World): Promise<Screen[]> {
  const server = `/channels/${serverId}`
  const channel = `${server}/${channelId}`
  const application = `/developers/${bot.applicationId}`
  const { client } = owner
  await client.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'A *line*, `code`, a [link](https://example.org) and\n> a quote',
  })
  const hook = await client.json('POST', `/api/channels/${channelId}/webhooks`, { name: 'Builds' })
  await client.json('POST', new URL(hook.body.url).pathname, {
    content: 'Build 42',
    embeds: [
      { title: 'Green', description: 'All of it', color: 3066993, fields: [{ name: 'a', value: 'b' }] },
    ],
  })
  await client.json('POST', new URL(hook.body.url).pathname, { content: '' })
  await client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'Pilots',
    permissions: '0',
    color: 3066993,
  })
  const invite = await client.json('POST', `/api/servers/${serverId}/invites`, {})
  return [
    { name: 'a channel', path: channel, shows: 'Build 42' },
    { name: 'direct messages', path: '/channels/@me', shows: 'No conversations yet' },
    { name: 'a member', path: channel, shows: 'Build 42', press: [/^ann/, 'Edit roles'], opens: 'Done' },
    {
      name: 'a new server',
      path: channel,
      shows: 'Build 42',
      press: ['Add a server'],
      opens: 'Join with an invite',
    },
    { name: 'a new channel', path: channel, shows: 'Build 42', press: ['Create a channel'], opens: 'Topic' },
    {
      name: 'the menu',
      path: channel,
      shows: 'Build 42',
      press: ['Menu of Server'],
      opens: 'Server settings',
    },
    { name: 'an invite', path: `/invite/${invite.body.code}`, shows: 'Open server' },
    { name: 'an invite that does not hold', path: '/invite/nonsense', shows: 'Invite not valid' },
    { name: 'profile', path: '/settings/profile', shows: 'Change picture' },
    {
      name: 'security',
      path: '/settings/security',
      shows: 'Second factor',
      press: ['Set up an app', 'Add a passkey'],
      opens: 'Name of the passkey',
    },
    { name: 'server overview', path: `${server}/settings/overview`, shows: 'Delete server' },
    {
      name: 'roles',
      path: `${server}/settings/roles`,
      shows: 'Pilots',
      press: ['Edit: Pilots'],
      opens: 'Delete role',
    },
    { name: 'bots', path: `${server}/settings/bots`, shows: 'Added by' },
    { name: 'channel overview', path: `${channel}/settings/overview`, shows: 'Delete channel' },
    {
      name: 'channel permissions',
      path: `${channel}/settings/permissions`,
      shows: '@everyone',
      press: ['Edit: @everyone'],
      opens: 'Manage webhooks',
    },
    {
      name: 'webhooks',
      path: `${channel}/settings/webhooks`,
      shows: 'Builds',
      press: ['Edit: Builds'],
      opens: 'Last posts',
    },
    {
      name: 'deletion',
      path: `${channel}/settings/overview`,
      shows: 'Delete channel',
      press: ['Delete channel'],
      opens: 'This cannot be undone',
    },
    { name: 'applications', path: '/developers', shows: 'App of dice_bot' },
    {
      name: 'a new application',
      path: '/developers',
      shows: 'App of dice_bot',
      press: ['New application'],
      opens: 'With a secret',
    },
    { name: 'an application', path: `${application}/general`, shows: 'Redirect URIs' },
    { name: 'its bot', path: `${application}/bot`, shows: 'Install link' },
    { name: 'its interactions', path: `${application}/interactions`, shows: 'No interaction yet' },
    { name: 'nothing', path: '/nowhere', shows: 'There is nothing here' },
  ]
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing on any screen, ${colorScheme}`, async t => {
    const service = await startService(t)
    const browser = await launch(t)
    const world = await makeWorld(service)
    const screens = await screensOf(world)
    const { page, problems } = await openAs(browser, service, world.owner, '/', {
      colorScheme,
      reducedMotion: 'reduce',
    })
    const found: Record<string, string[]> = {}
    for (const { name, path, shows, press = [], opens } of screens) {
      await page.goto(service.url + path)
      await page.getByText(shows).first().waitFor()
      for (const button of press) await page.getByRole('button', { name: button }).first().click()
      if (opens) await page.getByText(opens).first().waitFor()
      const lines = await findings(page)
      if (lines.length > 0) found[name] = lines
    }
    assert.deepEqual(found, {})
    assert.deepEqual(problems, [])
  })
}

test('axe finds nothing where the panes slide, and nothing is wider than a narrow screen', async t => {
  const service = await startService(t)
  const browser = await launch(t)
  const world = await makeWorld(service)
  const screens = (await screensOf(world)).filter(({ press }) => !press)
  const { page } = await openAs(browser, service, world.owner, '/', {
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
  })
  const found: Record<string, string[]> = {}
  for (const { name, path, shows } of screens) {
    await page.goto(service.url + path)
    await page.getByText(shows).first().waitFor()
    const lines = await findings(page)
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) lines.push('too wide')
    if (lines.length > 0) found[name] = lines
  }
  await page.goto(`${service.url}/channels/${world.serverId}/${world.channelId}`)
  await page.getByRole('button', { name: 'Open channels' }).click()
  await page.getByRole('link', { name: 'general', exact: true }).waitFor()
  const lines = await findings(page)
  if (lines.length > 0) found['the open pane'] = lines
  assert.deepEqual(found, {})
})
