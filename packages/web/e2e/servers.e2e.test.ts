import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { addTarget, confirmDialog, named, openAs, waitForValue } from './testing.ts'

interface Named {
  id: string
  name: string
}

test('the first user creates a server, sees the first steps and invites a second user', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { page, problems } = await openAs(t, service, ann)
  await page.getByText('No servers yet').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Add a server' }).click()
  await page.getByLabel('Server name').fill('The Harbour')
  await page.getByRole('button', { name: 'Create' }).click()
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByRole('link', { name: /^Create a webhook/ }).click()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('Webhook URL').waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await steps.getByRole('link', { name: /^Create a webhook Done/ }).waitFor()

  await steps.getByRole('button', { name: /^Invite people/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite people' })
  const link = dialog.getByLabel('Invite link')
  await page.locator('input[value*="/invite/"]').waitFor()
  const before = await link.inputValue()
  await dialog.getByLabel('Maximum number of uses').selectOption('1')
  await page.locator(`input[value*="/invite/"]:not([value="${before}"])`).waitFor()
  const once = await link.inputValue()
  await dialog.getByRole('button', { name: 'Close' }).click()

  const second = await openAs(t, service, bob, new URL(once).pathname)
  await second.page.getByRole('heading', { name: 'The Harbour' }).waitFor()
  await second.page.getByText('1 member', { exact: true }).waitFor()
  await second.page.getByRole('button', { name: 'Accept invite' }).click()
  await second.page.getByLabel('Message #general').waitFor()
  await second.page.goto(once)
  await second.page.getByRole('heading', { name: 'Invalid invite' }).waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText('bob').waitFor()
  await steps.getByRole('button', { name: 'Hide the first steps' }).click()
  await steps.waitFor({ state: 'detached' })
  assert.deepEqual([...problems, ...second.problems], [])
})

test('creates, edits, reorders, assigns and deletes roles', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/roles`)
  const roles = async () =>
    (await ann.client.get(`/api/servers/${server.id}/roles`)).body as (Named & {
      color: number
      permissions: string
    })[]
  const rows = page.getByRole('main').getByRole('listitem')
  for (const name of ['Pilots', 'Guests']) {
    await page.getByRole('button', { name: 'New role' }).click()
    await page.getByLabel('Role name').fill(name)
    await page.getByLabel('Manage messages').check()
    await page.getByLabel('Colour', { exact: true }).fill('#2f9e44')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: `Close: ${name}` }).click()
  }
  const pilots = (await roles()).find(({ name }) => name === 'Pilots')
  assert.deepEqual([pilots?.color, pilots?.permissions], [0x2f9e44, String(1 << 13)])
  const order = () => rows.locator('strong').allInnerTexts()
  await waitForValue(order, ['Pilots', 'Guests', '@everyone'])
  await page.getByRole('button', { name: 'Move Guests up' }).click()
  await waitForValue(order, ['Guests', 'Pilots', '@everyone'])

  await page.getByRole('button', { name: 'Edit: @everyone' }).click()
  assert.equal(await page.getByLabel('Role name').count(), 0)
  await page.getByLabel('Use commands').uncheck()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal(BigInt((await roles())[0]?.permissions ?? 0) & (1n << 31n), 0n)
  await page.getByRole('button', { name: 'Close: @everyone' }).click()

  await page.goto(`${service.url}/channels/${server.id}/${general.id}`)
  await page.getByRole('complementary', { name: 'Members' }).getByText('bob').click()
  const card = page.getByRole('dialog', { name: 'Profile of bob' })
  const rolesOf = async () =>
    (await ann.client.get(`/api/servers/${server.id}/members/${bob.id}`)).body.roles as string[]
  await card.getByRole('button', { name: 'Edit roles' }).click()
  await card.getByRole('checkbox', { name: 'Pilots' }).click()
  await card.getByRole('checkbox', { name: 'Pilots', checked: true }).waitFor()
  assert.deepEqual(await rolesOf(), [pilots?.id])
  await card.getByRole('button', { name: 'Done' }).click()
  await card.getByRole('list', { name: 'Roles' }).getByText('Pilots').waitFor()
  await card.getByRole('button', { name: 'Edit roles' }).click()
  await card.getByRole('checkbox', { name: 'Pilots' }).click()
  await card.getByRole('checkbox', { name: 'Pilots', checked: false }).waitFor()
  assert.deepEqual(await rolesOf(), [])

  await page.goto(`${service.url}/channels/${server.id}/settings/roles`)
  await page.getByRole('button', { name: 'Edit: Guests' }).click()
  await page.getByRole('button', { name: 'Delete role' }).click()
  await confirmDialog(page, 'Delete role')
  await rows.filter({ hasText: 'Guests' }).waitFor({ state: 'detached' })
  assert.deepEqual(
    (await roles()).map(({ name }) => name),
    ['@everyone', 'Pilots'],
  )
  assert.deepEqual(problems, [])
})

test('changing permission overwrites of a channel takes effect immediately', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const path = `/channels/${server.id}/${general.id}`
  const other = await openAs(t, service, bob, path)
  await other.page.getByLabel('Message #general').waitFor()
  await other.connected
  const { page, problems } = await openAs(t, service, ann, `${path}/settings/permissions`)
  const sending = page.getByRole('group', { name: 'Send messages' })
  await page.getByRole('button', { name: 'Edit: @everyone' }).click()
  await sending.getByRole('radio', { name: 'Deny' }).check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await other.page.getByText('You do not have permission to send messages in this channel.').waitFor()
  await page.getByRole('button', { name: 'Close: @everyone' }).click()

  await addTarget(page, 'Role or member', 'bob')
  await sending.getByRole('radio', { name: 'Allow' }).check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('1 allowed, 0 denied').waitFor()
  await other.page.getByLabel('Message #general').waitFor()

  await page.getByRole('button', { name: `Reset to server permissions: ${named('bob')}` }).click()
  await page
    .getByRole('button', { name: `Edit: ${named('bob')}` })
    .or(page.getByRole('button', { name: `Close: ${named('bob')}` }))
    .waitFor({
      state: 'detached',
    })
  await other.page.getByText('You do not have permission to send messages in this channel.').waitFor()
  const channel = (await ann.client.get(`/api/channels/${general.id}`)).body
  assert.equal(channel.permissionOverwrites.length, 1)
  assert.deepEqual([...problems, ...other.problems], [])
})

test('for those above oneself, the form of an overwrite only allows (community/permission-hierarchy)', async t => {
  const service = await startService(t)
  const [ann, bob, cem] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
  ]
  const { server, general } = await createServer(ann, bob, cem)
  const createRole = async (name: string, position: number, permissions: bigint) => {
    const body = { name, position, permissions: String(permissions) }
    return (await ann.client.json('POST', `/api/servers/${server.id}/roles`, body)).body
  }
  const guide = await createRole('Guide', 1, Permission.MANAGE_CHANNELS)
  const captain = await createRole('Captain', 2, 0n)
  const [members, overwrites] = [
    `/api/servers/${server.id}/members`,
    `/api/channels/${general.id}/overwrites`,
  ]
  await ann.client.request('PUT', `${members}/${bob.id}/roles/${guide.id}`)
  await ann.client.request('PUT', `${members}/${cem.id}/roles/${captain.id}`)
  const allow = String(Permission.EMBED_LINKS)
  await ann.client.request('PUT', `${overwrites}/${captain.id}`, { type: 'role', allow, deny: '0' })
  await ann.client.request('PUT', `${overwrites}/${guide.id}`, { type: 'role', allow, deny: '0' })
  const path = `/channels/${server.id}/${general.id}/settings/permissions`
  const { page, problems } = await openAs(t, service, bob, path)
  const reason = page.getByText('Above your highest role')
  const enabled = (group: string) =>
    page
      .getByRole('group', { name: group })
      .getByRole('radio')
      .evaluateAll(radios => radios.filter(radio => radio.matches(':enabled')).map(radio => radio.ariaLabel))

  await page.getByRole('button', { name: 'Edit: Guide' }).click()
  await page.getByRole('group', { name: 'Send messages' }).waitFor()
  assert.equal(await reason.count(), 0)
  assert.deepEqual(await enabled('Send messages'), ['Deny', 'Same as on the server', 'Allow'])
  await page.getByRole('button', { name: 'Close: Guide' }).click()

  await page.getByRole('button', { name: 'Edit: Captain' }).click()
  await reason.waitFor()
  assert.deepEqual(await enabled('Send messages'), ['Same as on the server', 'Allow'])
  assert.deepEqual(await enabled('Embed links'), ['Allow'])
  assert.ok(await page.getByRole('button', { name: 'Reset to server permissions: Captain' }).isDisabled())
  await page.getByRole('group', { name: 'Send messages' }).getByRole('radio', { name: 'Allow' }).check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Close: Captain' }).click()

  await addTarget(page, 'Role or member', 'cem')
  await reason.waitFor()
  assert.deepEqual(await enabled('Send messages'), ['Same as on the server', 'Allow'])
  assert.deepEqual(problems, [])
})

test('the forms of a role, an overwrite and a channel do not restore what another user has changed', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const send = async (method: 'POST' | 'PATCH' | 'PUT', path: string, body: object) => {
    const reply = await ann.client.json(method, path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  const [everyone, bans] = [server.id, String(Permission.BAN_MEMBERS)]
  const role = await send('POST', `/api/servers/${server.id}/roles`, { name: 'Helpers', permissions: bans })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/roles`)
  const save = page.getByRole('button', { name: 'Save changes' })
  const saveAll = async () => {
    await save.click()
    await page.getByText('Saved.').waitFor()
  }
  await page.getByRole('button', { name: 'Edit: Helpers' }).click()
  await page.getByRole('checkbox', { name: 'Ban members', checked: true }).waitFor()
  await send('PATCH', `/api/servers/${server.id}/roles/${role.id}`, { permissions: '0' })
  await page.getByRole('checkbox', { name: 'Ban members', checked: false }).waitFor()
  assert.equal(await save.isDisabled(), true)
  await page.getByLabel('Role name').fill('Helping')
  await page.getByLabel('Manage messages').check()
  await saveAll()
  const roles = await ann.client.get(`/api/servers/${server.id}/roles`)
  const saved = roles.body.find(({ id }: { id: string }) => id === role.id)
  assert.deepEqual([saved.name, saved.permissions], ['Helping', String(Permission.MANAGE_MESSAGES)])

  const overwrite = `/api/channels/${general.id}/overwrites/${everyone}`
  await page.goto(`${service.url}/channels/${server.id}/${general.id}/settings/permissions`)
  await page.getByRole('button', { name: 'Edit: @everyone' }).click()
  const viewing = page.getByRole('group', { name: 'View channels' })
  await viewing.waitFor()
  const deny = String(Permission.VIEW_CHANNEL)
  await send('PUT', overwrite, { type: 'role', allow: '0', deny })
  await viewing.getByRole('radio', { name: 'Deny', checked: true }).waitFor()
  await page.getByRole('group', { name: 'Embed links' }).getByRole('radio', { name: 'Allow' }).check()
  await saveAll()
  const readChannel = async () => (await ann.client.get(`/api/servers/${server.id}/channels`)).body[0]
  assert.deepEqual((await readChannel()).permissionOverwrites, [
    { id: everyone, type: 'role', allow: String(Permission.EMBED_LINKS), deny },
  ])

  await page.goto(`${service.url}/channels/${server.id}/${general.id}/settings/overview`)
  await page.getByLabel('Channel name').waitFor()
  await send('PATCH', `/api/channels/${general.id}`, { topic: 'The rules' })
  await waitForValue(() => page.getByLabel('Topic').inputValue(), 'The rules')
  await page.getByLabel('Channel name').fill('lobby')
  await saveAll()
  const { name, topic } = await readChannel()
  assert.deepEqual([name, topic], ['lobby', 'The rules'])
  assert.deepEqual(problems, [])
})

test('creates, renames and deletes a channel, and renames and deletes a server', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}`)
  await page.getByRole('button', { name: 'Create a channel' }).click()
  await page.getByLabel('Channel name').fill('deploys')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByLabel('Message #deploys').waitFor()
  await page
    .getByRole('banner')
    .getByRole('link', { name: 'Settings of #deploys' })
    .or(page.getByRole('link', { name: 'Settings of #deploys' }).last())
    .first()
    .click()
  await page.getByLabel('Channel name').fill('releases')
  await page.getByLabel('Topic').fill('What went out')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('What went out').waitFor()
  await page.getByRole('link', { name: 'Settings of #releases' }).last().click()
  await page.getByRole('button', { name: 'Delete channel' }).click()
  await confirmDialog(page, 'Delete channel')
  await page.getByLabel('Message #general').waitFor()
  assert.equal((await ann.client.get(`/api/servers/${server.id}/channels`)).body.length, 1)

  await page.getByRole('button', { name: 'Menu of Server' }).click()
  await page.getByRole('menuitem', { name: 'Server settings' }).click()
  await page.getByLabel('Server name').fill('The Harbour')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await ann.client.get(`/api/servers/${server.id}`)).body.name, 'The Harbour')
  await page.getByRole('button', { name: 'Delete server' }).click()
  await confirmDialog(page, 'Delete server')
  await page.getByText('No servers yet').waitFor()
  assert.deepEqual((await ann.client.get('/api/users/@me/servers')).body, [])
  assert.deepEqual(problems, [])
})

test('redirects again if a second navigation to the start page interrupts the redirect', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/settings')
  await page.getByRole('button', { name: 'Save changes' }).waitFor()
  // As when an event and the response to a request both navigate. The router gives each navigation a key of its own.
  await page.evaluate(() => {
    const navigateHome = () => {
      history.pushState({ key: crypto.randomUUID() }, '', '/')
      dispatchEvent(new PopStateEvent('popstate'))
    }
    const isRedirect = ({ destination }: NavigateEvent) => destination.url?.endsWith('/channels/@me') ?? false
    let redirects = 0
    window.navigation.addEventListener('navigate', event => {
      if (isRedirect(event) && ++redirects === 1) queueMicrotask(navigateHome)
    })
    navigateHome()
  })
  await page.getByText('No servers yet').waitFor()
  await page.waitForURL('**/channels/@me')
  assert.deepEqual(problems, [])
})

test('a member leaves, and the owner removes a member and a bot', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { owner, serverId, channelId } = world
  const [bob, cem] = [await register(service, 'bob'), await register(service, 'cem')]
  const invite = await owner.client.json('POST', `/api/servers/${serverId}/invites`, {})
  for (const { client } of [bob, cem]) await client.json('POST', `/api/invites/${invite.body.code}`)
  const path = `/channels/${serverId}/${channelId}`
  const first = await openAs(t, service, bob, path)
  await first.page.getByRole('button', { name: 'Menu of Server' }).click()
  await first.page.getByRole('menuitem', { name: 'Leave server' }).click()
  await confirmDialog(first.page, 'Leave server')
  await first.page.getByText('No servers yet').waitFor()

  const second = await openAs(t, service, cem, path)
  await second.page.getByLabel('Message #general').waitFor()
  await second.connected
  const { page, problems } = await openAs(t, service, owner, path)
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('cem').click()
  await page.getByRole('button', { name: 'Remove from server' }).click()
  await confirmDialog(page, 'Remove from server')
  await members.getByText('cem').waitFor({ state: 'detached' })
  await second.page.getByLabel('Message #general').waitFor({ state: 'detached' })

  await page.goto(`${service.url}/channels/${serverId}/settings/bots`)
  const row = page.getByRole('listitem').filter({ hasText: 'App of dice_bot' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await confirmDialog(page, 'Remove')
  await page.getByText('No bot has been added to this server yet.').waitFor()
  const remaining = (await owner.client.get(`/api/servers/${serverId}/members`)).body
  assert.deepEqual(remaining.map(({ user }: { user: { username: string } }) => user.username).sort(), [
    'ann',
    'owner',
  ])
  assert.deepEqual([...problems, ...first.problems, ...second.problems], [])
})

test('the server settings find members, assign roles, remove members and list the permissions of bots', async t => {
  const service = await startService(t)
  const world = await createWorld(service, { permissions: (1n << 10n) | (1n << 13n) })
  const { owner, ann, serverId } = world
  const role = await owner.client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'Pilots',
    permissions: '0',
  })
  const settings = `/channels/${serverId}/settings`
  const { page, problems } = await openAs(t, service, owner, `${settings}/members`)
  const rows = page.getByRole('main').locator('.rows > li')
  await page.getByText('3 members', { exact: true }).waitFor()
  await page.getByLabel('Find a member').fill('AN')
  await page.getByText('1 member', { exact: true }).waitFor()
  const row = rows.filter({ hasText: 'ann' })
  await row.getByRole('button', { name: 'Edit roles' }).click()
  await row.getByRole('checkbox', { name: 'Pilots' }).click()
  await row.getByRole('checkbox', { name: 'Pilots', checked: true }).waitFor()
  const member = await owner.client.get(`/api/servers/${serverId}/members/${ann.id}`)
  assert.deepEqual(member.body.roles, [role.body.id])
  await row.getByRole('button', { name: `Remove: ${named('ann')}` }).click()
  await confirmDialog(page, 'Remove from server')
  await page.getByText('0 members', { exact: true }).waitFor()
  assert.equal((await owner.client.get(`/api/servers/${serverId}/members/${ann.id}`)).status, 404)

  await page.getByRole('link', { name: 'Bots' }).click()
  const permissionList = page.getByRole('list', { name: 'Permissions' })
  await permissionList.getByRole('listitem').first().waitFor()
  assert.deepEqual(await permissionList.getByRole('listitem').allInnerTexts(), [
    'View channels',
    'Manage messages',
  ])
  assert.deepEqual(problems, [])
})
