import { verifyEmail } from '@gatehouse/testkit/accounts'
import type { World } from '@gatehouse/testkit/interactions'
import type { Page } from 'playwright-core'

/** The fields that take text. */
export const textFields =
  'textarea, select, [contenteditable], input:not([type=hidden], [type=checkbox], ' +
  '[type=radio], [type=file], [type=range], [type=color])'

/** A screen of the client and the steps that open it. */
export interface Screen {
  name: string
  path: string
  /** Text that is visible when the page has loaded. */
  shows: string
  /** The names of the buttons to press, in order. */
  press?: readonly (string | RegExp)[]
  /** Text that is visible after the last step. */
  opens?: string
  /** The buttons are in the navigation, which is a sliding pane on a narrow screen. */
  inNav?: true
  /** The texts to type into the composer. `Enter` presses the key. */
  type?: readonly string[]
}

/** Creates data of every kind in `world` and returns all screens of the client. */
export async function createScreens({
  service,
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
  await verifyEmail(service, client)
  await client.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'A *line*, `code`, a [link](https://example.org) and\n> a quote',
  })
  for (const content of [`Welcome <@${ann.id}>!`, '```\nconst answer = 42\n```', '- bread\n- salt', '🎲'])
    await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  await ann.client.json('POST', `/api/channels/${channelId}/messages`, {
    content:
      'A longer line that says what happened today in the harbour, so that it takes more ' +
      'than one line on a narrow screen.',
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
      {
        author: { name: 'octocat', url: 'https://example.org/octocat' },
        title: 'Green',
        url: 'https://example.org/42',
        description: 'All of it',
        color: 3066993,
        fields: [{ name: 'a', value: 'b' }],
      },
    ],
  })
  await client.json('POST', new URL(hook.body.url).pathname, { content: '' })
  const role = await client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'Pilots',
    permissions: '0',
    color: 3066993,
  })
  await client.json('PATCH', `/api/applications/${bot.applicationId}`, {
    server: { id: serverId, membersOnly: true, groups: [{ roleId: role.body.id }] },
  })
  const other = await ann.client.json('POST', '/api/servers', { name: 'The Lighthouse' })
  const invite = await ann.client.json('POST', `/api/servers/${other.body.id}/invites`, {})
  await client.json('POST', `/api/servers/${serverId}/invites`, {})
  await ann.client.json('POST', '/api/interactions', { type: 'command', channelId, commandId: commands.ping })
  return [
    { name: 'a channel', path: channel, shows: 'Build 42' },
    { name: 'direct messages', path: '/channels/@me', shows: 'No conversation selected' },
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
    { name: 'an invite', path: `/invite/${invite.body.code}`, shows: 'Accept invite' },
    { name: 'an invalid invite', path: '/invite/nonsense', shows: 'Invalid invite' },
    { name: 'profile', path: '/settings/profile', shows: 'Change image' },
    { name: 'privacy', path: '/settings/privacy', shows: 'Who may write to me first' },
    { name: 'language', path: '/settings/language', shows: 'The language of the client' },
    {
      name: 'security',
      path: '/settings/security',
      shows: 'Two-factor authentication',
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
    { name: 'audit log', path: `${server}/settings/audit-log`, shows: 'created the role Pilots' },
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
      opens: 'Recent deliveries',
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
      opens: 'Confidential client',
    },
    { name: 'an application', path: `${application}/general`, shows: 'Delete application' },
    { name: 'application sign-in', path: `${application}/sign-in`, shows: 'Group for Pilots' },
    { name: 'application commands', path: `${application}/commands`, shows: 'Rolls dice' },
    {
      name: 'trying a command',
      path: `${application}/try`,
      shows: 'Response (JSON)',
      press: ['Embed', /^Try it$/],
      opens: 'Event sent to the bot',
    },
    { name: 'application bot', path: `${application}/bot`, shows: 'Install link' },
    { name: 'application interactions', path: `${application}/interactions`, shows: 'Pending' },
    { name: 'not found', path: '/nowhere', shows: 'This page does not exist' },
  ]
}

/** Opens a screen and runs its steps. */
export async function openScreen(page: Page, url: string, screen: Screen): Promise<void> {
  const { path, shows, press = [], type = [], opens, inNav } = screen
  // Otherwise the draft of the previous screen would be in the composer.
  await page.evaluate(() => localStorage.clear())
  await page.goto(url + path)
  await page.getByText(shows).first().waitFor()
  const nav = page.getByRole('button', { name: 'Open channels' })
  if (inNav && (await nav.isVisible())) await nav.click()
  for (const button of press) await page.getByRole('button', { name: button }).first().click()
  if (type.length > 0) await page.locator('.composer textarea').click()
  for (const text of type) {
    if (text === 'Enter') await page.keyboard.press('Enter')
    else await page.keyboard.type(text)
    // Suggestions appear after the commands have loaded.
    if (text.startsWith('/')) await page.getByRole('option').first().waitFor()
  }
  if (opens) await page.getByText(opens).first().waitFor()
}
