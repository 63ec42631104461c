import type { Page } from 'playwright-core'
import type { World } from '../../server/src/interactions/testing.ts'

/** A screen of the client: where it is, and what is done until it stands. */
export interface Screen {
  name: string
  path: string
  /** What shows that it is there. */
  shows: string
  /** Presses these in turn. */
  press?: readonly (string | RegExp)[]
  opens?: string
  /** What is pressed stands in the lists, which slide over the messages on a narrow screen. */
  inNav?: true
  /** Is typed where one writes, a line with Enter at its end. */
  type?: readonly string[]
}

/** Every screen, in a world with something of each kind in it. */
export async function screensOf({
  owner,
  ann,
  serverId,
  channelId,
  bot,
  commands,
}: World): Promise<Screen[]> {
  const server = `/channels/${serverId}`
  const channel = `${server}/${channelId}`
  const application = `/developers/${bot.applicationId}`
  const { client } = owner
  await client.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'A *line*, `code`, a [link](https://example.org) and\n> a quote',
  })
  for (const content of [`Welcome <@${ann.id}>!`, '```\nconst answer = 42\n```', '- bread\n- salt', '🎲'])
    await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  await ann.client.json('POST', `/api/channels/${channelId}/messages`, {
    content:
      'A longer line that says what happened today in the harbour, so that it takes more than one line on a narrow screen.',
  })
  await bot.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'Roll again?',
    components: [
      {
        type: 'row',
        components: [
          { type: 'button', style: 'primary', label: 'Roll', emoji: '🎲', customId: 'roll' },
          { type: 'button', style: 'secondary', label: 'Later', customId: 'later' },
          { type: 'button', style: 'success', label: 'Yes', customId: 'yes' },
          { type: 'button', style: 'danger', label: 'Never', customId: 'never' },
          { type: 'button', style: 'link', label: 'Rules', url: 'https://example.org' },
        ],
      },
    ],
  })
  const direct = await client.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
  await client.json('POST', `/api/channels/${direct.body.id}/messages`, { content: 'Between us' })
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
  await ann.client.json('POST', '/api/interactions', { type: 'command', channelId, commandId: commands.ping })
  return [
    { name: 'a channel', path: channel, shows: 'Build 42' },
    { name: 'direct messages', path: '/channels/@me', shows: 'No conversation chosen' },
    { name: 'a direct message', path: `/channels/@me/${direct.body.id}`, shows: 'Between us' },
    { name: 'commands', path: channel, shows: 'Build 42', type: ['/'], opens: 'Rolls dice' },
    {
      name: 'a command',
      path: channel,
      shows: 'Build 42',
      type: ['/roll', 'Enter', '101'],
      opens: 'At most',
    },
    { name: 'mentions', path: channel, shows: 'Build 42', type: ['Hello @a'], opens: 'Suggestions' },
    { name: 'a member', path: channel, shows: 'Build 42', press: [/^ann/, 'Edit roles'], opens: 'Done' },
    {
      name: 'a new server',
      path: channel,
      shows: 'Build 42',
      press: ['Add a server'],
      inNav: true,
      opens: 'Join with an invite',
    },
    {
      name: 'a new channel',
      path: channel,
      shows: 'Build 42',
      press: ['Create a channel'],
      inNav: true,
      opens: 'Topic',
    },
    {
      name: 'the menu',
      path: channel,
      shows: 'Build 42',
      press: ['Menu of Server'],
      inNav: true,
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
    { name: 'server invites', path: `${server}/settings/invites`, shows: 'Revoke' },
    {
      name: 'roles',
      path: `${server}/settings/roles`,
      shows: 'Pilots',
      press: ['Edit: Pilots'],
      opens: 'Delete role',
    },
    { name: 'members', path: `${server}/settings/members`, shows: 'Find a member' },
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
    { name: 'an application', path: `${application}/general`, shows: 'Delete application' },
    { name: 'its sign-in', path: `${application}/sign-in`, shows: 'Redirect URIs' },
    { name: 'its commands', path: `${application}/commands`, shows: 'Rolls dice' },
    {
      name: 'a try',
      path: `${application}/try`,
      shows: 'Answer of the bot',
      press: ['Card', /^Try it$/],
      opens: 'What the bot is sent',
    },
    { name: 'its bot', path: `${application}/bot`, shows: 'Install link' },
    { name: 'its interactions', path: `${application}/interactions`, shows: 'Failed' },
    { name: 'nothing', path: '/nowhere', shows: 'There is nothing here' },
  ]
}

/** Goes there and does what leads to it. */
export async function openScreen(page: Page, url: string, screen: Screen): Promise<void> {
  const { path, shows, press = [], type = [], opens, inNav } = screen
  // The draft of the screen before would stand in the composer.
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(url + path)
  await page.getByText(shows).first().waitFor()
  const nav = page.getByRole('button', { name: 'Open channels' })
  if (inNav && (await nav.isVisible())) await nav.click()
  for (const button of press) await page.getByRole('button', { name: button }).first().click()
  if (type.length > 0) await page.locator('.composer textarea').click()
  for (const text of type) {
    if (text === 'Enter') await page.keyboard.press('Enter')
    else await page.keyboard.type(text)
    // Suggestions come with what is loaded.
    if (text.startsWith('/')) await page.getByRole('option').first().waitFor()
  }
  if (opens) await page.getByText(opens).first().waitFor()
}
