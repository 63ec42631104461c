// Runs in its own process: it takes longer than the others, so it starts first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as limits from '@gatehouse/protocol/limits'
import { verifyEmail } from '@gatehouse/testkit/accounts'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { createBot, putCommands, runCommand } from '@gatehouse/testkit/interactions'
import { startService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openScreen, type Screen } from './screens.ts'
import { openAs } from './testing.ts'

/** A text of `length` characters without a space, from the widest letter. */
const wide = (start: string, length: number) => start.padEnd(length, 'W')
const longUrl = (length: number) => 'https://app.example/'.padEnd(length, 'w')

function done(reply: TestResponse): TestResponse {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`)
  return reply
}

/** A community whose names, texts and URLs have their maximum length, and the screens that show them. */
async function createLongNames(service: TestService) {
  const displayName = wide('Owner', limits.maxDisplayName)
  const username = (start: string) => start.padEnd(limits.maxUsername, 'w')
  const owner = await register(service, username('owner'), undefined, { displayName })
  const ann = await register(service, username('ann'), undefined, {
    displayName: wide('Ann', limits.maxDisplayName),
  })
  await verifyEmail(service, owner.client)
  const send = async (method: string, path: string, body: unknown) =>
    done(await owner.client.json(method, path, body)).body
  const { server, general } = await createServer(owner, ann)
  await send('PATCH', `/api/servers/${server.id}`, { name: wide('Server', limits.maxServerName) })
  const channelName = 'channel'.padEnd(limits.maxChannelName, 'w')
  await send('PATCH', `/api/channels/${general.id}`, {
    name: channelName,
    topic: wide('Topic', limits.maxTopic),
  })
  const roleName = wide('Role', limits.maxRoleName)
  const role = await send('POST', `/api/servers/${server.id}/roles`, {
    name: roleName,
    permissions: '0',
    color: 3066993,
  })
  done(await owner.client.json('PUT', `/api/servers/${server.id}/members/${ann.id}/roles/${role.id}`))
  for (const target of [role.id, ann.id])
    await send('PUT', `/api/channels/${general.id}/overwrites/${target}`, {
      type: target === role.id ? 'role' : 'member',
      allow: '0',
      deny: '0',
    })

  const bot = await createBot(service, owner, username('bot'))
  const appName = wide('App', limits.maxApplicationName)
  const redirectUri = longUrl(limits.maxRedirectUriLength)
  await send('PATCH', `/api/applications/${bot.applicationId}`, {
    name: appName,
    description: wide('Text', limits.maxApplicationDescription),
    redirectUris: [redirectUri],
  })
  await addBot(owner.client, bot.applicationId, server.id)
  const commandName = (start: string) => start.padEnd(limits.maxCommandName, 'w')
  const description = wide('Text', limits.maxCommandDescription)
  const choices = ['a', 'b'].map(value => ({ name: wide(value, limits.maxChoiceName), value }))
  const option = { type: 'string', description, required: true }
  const commands = await putCommands(bot, [
    {
      name: commandName('roll'),
      description,
      options: [
        { ...option, name: commandName('choice'), choices },
        { ...option, name: commandName('free') },
      ],
    },
    { name: commandName('modal'), description },
    { type: 'message', name: wide('Message', limits.maxCommandName) },
    { type: 'user', name: wide('User', limits.maxCommandName) },
  ])

  const post = (user: typeof owner, content: string) =>
    user.client.json('POST', `/api/channels/${general.id}/messages`, { content }).then(done)
  await post(ann, `<@${owner.id}><@&${role.id}><#${general.id}>`)
  await post(ann, longUrl(limits.maxContent))
  await post(ann, `\`\`\`\n${wide('code', 1900)}\n\`\`\``)
  await post(ann, `# ${wide('Heading', 300)}\n- ${wide('item', 300)}\n> ${wide('quote', 300)}`)
  const label = wide('Label', limits.maxButtonLabel)
  const selectText = wide('Option', limits.maxSelectLabel)
  done(
    await bot.json('POST', `/api/channels/${general.id}/messages`, {
      content: 'Buttons',
      components: [
        {
          type: 'row',
          components: [
            { type: 'button', style: 'primary', label, emoji: '🎲', customId: 'a' },
            { type: 'button', style: 'link', label, url: longUrl(limits.maxButtonUrl) },
          ],
        },
        {
          type: 'row',
          components: [
            {
              type: 'string_select',
              customId: 'select',
              placeholder: wide('Select', limits.maxSelectPlaceholder),
              options: ['a', 'b'].map(value => ({
                label: selectText,
                value,
                description: wide('Text', limits.maxSelectDescription),
              })),
            },
          ],
        },
      ],
    }),
  )
  const webhook = await send('POST', `/api/channels/${general.id}/webhooks`, { name: wide('Hook', 80) })
  const embedTexts = {
    author: { name: wide('Author', limits.maxAuthorName), url: longUrl(limits.maxUrl) },
    title: wide('Title', limits.maxEmbedTitle),
    url: longUrl(limits.maxUrl),
    description: wide('Description', 1500),
    fields: [true, true, false].map(inline => ({
      name: wide('Name', limits.maxFieldName),
      value: wide('Value', 500),
      inline,
    })),
    footer: { text: wide('Footer', 1000) },
    timestamp: '2026-01-01T00:00:00.000Z',
    color: 3066993,
  }
  await send('POST', new URL(webhook.url).pathname, {
    username: wide('Sender', 80),
    content: '',
    embeds: [embedTexts],
  })
  const world = { service, owner, ann, serverId: server.id, channelId: general.id, bot, commands }
  await bot.connect()
  const answered = done(
    await runCommand(world, commandName('roll'), {
      options: [
        { name: commandName('choice'), value: 'a' },
        { name: commandName('free'), value: wide('free', 200) },
      ],
    }),
  )
  const event = bot.received.find(({ id }) => id === answered.body.id)
  assert.ok(event)
  done(await bot.callback(event, { type: 'message', data: { content: wide('Answer', 300) } }))
  const direct = await send('POST', '/api/users/@me/channels', { recipientId: ann.id })
  await send('POST', `/api/channels/${direct.id}/messages`, { content: 'Between us' })
  await send('POST', `/api/servers/${server.id}/invites`, {})
  const other = done(
    await ann.client.json('POST', '/api/servers', { name: wide('Other', limits.maxServerName) }),
  ).body
  const invite = done(await ann.client.json('POST', `/api/servers/${other.id}/invites`, {})).body
  // A session with a user agent without spaces.
  done(
    await service
      .client()
      .json(
        'POST',
        '/api/auth/login',
        { login: owner.username, password: owner.password },
        { 'user-agent': wide('Agent', 300) },
      ),
  )
  // Grants the application access.
  const authorize = `/oauth2/authorize?${new URLSearchParams({
    client_id: bot.applicationId,
    response_type: 'code',
    scope: 'identify servers',
    redirect_uri: redirectUri,
  })}`

  const base = `/channels/${server.id}`
  const channel = `${base}/${general.id}`
  const application = `/developers/${bot.applicationId}`
  const screens: Screen[] = [
    { name: 'channel', path: channel, shows: 'AnswerWW' },
    {
      name: 'navigation',
      path: channel,
      shows: 'AnswerWW',
      press: ['Menu of Server'],
      opens: 'Server settings',
      inNav: true,
    },
    { name: 'account', path: channel, shows: 'AnswerWW', press: ['Account'], opens: 'Sign out', inNav: true },
    { name: 'new channel', path: channel, shows: 'AnswerWW', press: ['Create a channel'], inNav: true },
    { name: 'new server', path: channel, shows: 'AnswerWW', press: ['Add a server'], inNav: true },
    { name: 'members', path: channel, shows: 'AnswerWW', press: [/members/i] },
    { name: 'member card', path: channel, shows: 'AnswerWW', press: [/^Ann/] },
    { name: 'commands', path: channel, shows: 'AnswerWW', type: ['/'] },
    { name: 'command form', path: channel, shows: 'AnswerWW', type: ['/roll', 'Enter'] },
    { name: 'mentions', path: channel, shows: 'AnswerWW', type: ['Hello @'], opens: 'Suggestions' },
    { name: 'select menu', path: channel, shows: 'AnswerWW', press: [/^SelectWW/], opens: 'OptionWW' },
    { name: 'server', path: base, shows: 'Server' },
    { name: 'direct messages', path: '/channels/@me', shows: 'No conversation selected' },
    { name: 'direct message', path: `/channels/@me/${direct.id}`, shows: 'Between us' },
    { name: 'invite', path: `/invite/${invite.code}`, shows: 'Accept invite' },
    { name: 'profile', path: '/settings/profile', shows: 'Change image' },
    { name: 'security', path: '/settings/security', shows: 'Two-factor authentication' },
    { name: 'server overview', path: `${base}/settings/overview`, shows: 'Delete server' },
    {
      name: 'server deletion',
      path: `${base}/settings/overview`,
      shows: 'Delete server',
      press: ['Delete server'],
      opens: 'This cannot be undone',
    },
    { name: 'server invites', path: `${base}/settings/invites`, shows: 'Revoke' },
    {
      name: 'roles',
      path: `${base}/settings/roles`,
      shows: 'RoleWW',
      press: [/^Edit: Role/],
      opens: 'Delete role',
    },
    { name: 'server members', path: `${base}/settings/members`, shows: 'Find a member' },
    { name: 'server bots', path: `${base}/settings/bots`, shows: 'Added by' },
    { name: 'channel overview', path: `${channel}/settings/overview`, shows: 'Delete channel' },
    {
      name: 'channel deletion',
      path: `${channel}/settings/overview`,
      shows: 'Delete channel',
      press: ['Delete channel'],
      opens: 'This cannot be undone',
    },
    {
      name: 'permissions',
      path: `${channel}/settings/permissions`,
      shows: 'RoleWW',
      press: [/^Edit: Role/],
      opens: 'Manage webhooks',
    },
    {
      name: 'webhooks',
      path: `${channel}/settings/webhooks`,
      shows: 'HookWW',
      press: [/^Edit: Hook/],
      opens: 'Recent deliveries',
    },
    { name: 'applications', path: '/developers', shows: 'AppWW' },
    { name: 'application', path: `${application}/general`, shows: 'Delete application' },
    { name: 'sign-in', path: `${application}/sign-in`, shows: 'Redirect URIs' },
    { name: 'application commands', path: `${application}/commands`, shows: 'rollww' },
    {
      name: 'trying a command',
      path: `${application}/try`,
      shows: 'Response (JSON)',
      press: ['Embed', /^Try it$/],
      opens: 'Event sent to the bot',
    },
    { name: 'application bot', path: `${application}/bot`, shows: 'Install link' },
    { name: 'interactions', path: `${application}/interactions`, shows: 'Responded' },
    { name: 'consent', path: authorize, shows: 'AppWW' },
  ]
  return { owner, screens }
}

/** Texts and controls of the page that are too wide for their container, or that cannot be pressed. */
function findOverflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const describe = (element: Element) => {
      const classes = typeof element.className === 'string' ? element.className.replaceAll(' ', '.') : ''
      const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
      return `${element.tagName.toLowerCase()}.${classes} "${name.trim().slice(0, 24)}"`
    }
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`the page: ${document.documentElement.scrollWidth}`)
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) &&
      element.closest('[inert], [aria-hidden="true"], .visually-hidden, .skip') === null
    const scrollsAlong = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowX)
    for (const element of document.querySelectorAll('body *')) {
      if (!isShown(element) || element.clientWidth === 0 || element.matches('input, textarea, select, svg *'))
        continue
      const style = getComputedStyle(element)
      if (element.scrollWidth <= element.clientWidth + 1 || style.textOverflow === 'ellipsis') continue
      if (element.matches('pre, .settings-nav ul')) continue
      // Only the innermost of several.
      if ([...element.children].some(child => child.scrollWidth > element.clientWidth + 1)) continue
      found.push(`too wide: ${describe(element)} ${element.scrollWidth} > ${element.clientWidth}`)
    }
    // What covers the rest of the page.
    const front =
      document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], .suggestions') ??
      document.querySelector('.side:has(+ .pane-backdrop), .pane-backdrop ~ .members')
    const controls = 'button, a[href], input, select, textarea, [role="option"], [role="menuitem"]'
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      if (!isShown(control) || control.matches(':disabled')) continue
      // The actions of a message appear when it is hovered.
      if (getComputedStyle(control).pointerEvents === 'none' || control.matches('.pane-backdrop')) continue
      if (front !== null && !front.contains(control)) continue
      control.scrollIntoView({ block: 'center', inline: 'nearest' })
      const { left, right, width, height } = control.getBoundingClientRect()
      // For screen readers only.
      if (width <= 1 || height <= 1) continue
      if (left < -1 || right > innerWidth + 1) found.push(`beside the page: ${describe(control)}`)
      for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
        if (getComputedStyle(box).position === 'fixed') break
        if (getComputedStyle(box).overflowX === 'visible' || scrollsAlong(box)) continue
        const edges = box.getBoundingClientRect()
        if (left < edges.left - 1 || right > edges.right + 1) found.push(`cut off: ${describe(control)}`)
      }
      // Of a link with several lines, the middle one is in view. There is space between the lines.
      const lines = control.getClientRects()
      const line = lines[Math.floor(lines.length / 2)]
      if (line === undefined) continue
      const hit = document.elementFromPoint(
        (line.left + Math.min(line.right, innerWidth)) / 2,
        (line.top + line.bottom) / 2,
      )
      const isHit = (element: Element | null | undefined) =>
        element != null && (control.contains(element) || element.closest('label')?.contains(control))
      if (!isHit(hit)) found.push(`covered: ${describe(control)} by ${hit ? describe(hit) : 'nothing'}`)
    }
    return found
  })
}

/** 1280 px, a phone, and 1280 px at a zoom of 200 %. */
const viewports = { wide: [1280, 800], phone: [390, 844], zoomed: [640, 400] } as const

for (const [size, [width, height]] of Object.entries(viewports)) {
  test(`names of maximum length without spaces leave every control in its place, ${size}`, async t => {
    const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
    const { owner, screens } = await createLongNames(service)
    const { page, problems } = await openAs(t, service, owner, '/', {
      viewport: { width, height },
      reducedMotion: 'reduce',
    })
    const overflows: Record<string, string[]> = {}
    for (const screen of screens) {
      // A reload would keep an open pane.
      await page.goto(`${service.url}/healthz`)
      await openScreen(page, service.url, screen)
      const found = await findOverflows(page)
      if (found.length > 0) overflows[screen.name] = found
    }
    assert.deepEqual(overflows, {})
    assert.deepEqual(problems, [])
  })
}
