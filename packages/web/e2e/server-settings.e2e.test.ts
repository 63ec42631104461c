import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, named, openAs, waitForValue } from './testing.ts'

test('setting and removing the picture of a server updates the windows of all members', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const bobWindow = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  const icon = bobWindow.page.getByRole('navigation', { name: 'Servers' }).locator('img')
  await bobWindow.page.getByLabel('Message #general').waitFor()
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings`)
  await page.getByLabel('Server icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: png })
  await page.locator('main img').waitFor()
  await icon.waitFor()
  await page.getByRole('button', { name: 'Remove image' }).click()
  await page.locator('main img').waitFor({ state: 'detached' })
  await icon.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove image' }).waitFor({ state: 'detached' })
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('lists invites with their creators and use counts, and revokes them', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const news = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'news' })
  const limited = await bob.client.json('POST', `/api/servers/${server.id}/invites`, {
    maxUses: 10,
    channelId: news.body.id,
  })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/invites`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const rows = page.getByRole('main').getByRole('listitem')
  await rows.filter({ hasText: `Created by ${named('ann')} · used 1 time ·` }).waitFor()
  const bobRow = rows.filter({
    hasText: `Channel: #news · Created by ${named('bob')} · used 0 of 10 times · expires`,
  })
  await bobRow.getByRole('button', { name: /^Copy link/ }).click()
  await bobRow.getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(copied, `${service.url}/invite/${limited.body.code}`)

  await bobRow.getByRole('button', { name: /^Revoke invite/ }).click()
  await confirmDialog(page, 'Revoke invite')
  await bobRow.waitFor({ state: 'detached' })
  assert.equal((await bob.client.get(`/api/invites/${limited.body.code}`)).status, 404)
  await rows.getByRole('button', { name: /^Revoke invite/ }).click()
  await confirmDialog(page, 'Revoke invite')
  await page.getByText('No invites').waitFor()

  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite people' })
  await page.locator('input[value*="/invite/"]').waitFor()
  const link = await dialog.getByLabel('Invite link').inputValue()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await rows.filter({ hasText: link.split('/').at(-1) ?? link }).waitFor()
  assert.deepEqual(problems, [])
})

test('a permission that only a newer service knows hides nothing and is kept when a role is saved', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const { MANAGE_ROLES, KICK_MEMBERS } = Permission
  const rolesPath = `/api/servers/${server.id}/roles`
  const body = { name: 'Moderators', permissions: `${MANAGE_ROLES | KICK_MEMBERS}` }
  const role = (await ann.client.json('POST', rolesPath, body)).body
  await ann.client.json('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
  const unknown = 1n << 50n
  const saved: unknown[] = []
  const path = `/channels/${server.id}/settings/roles`
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    for (const list of ['**/api/users/@me/servers', `**${rolesPath}`]) {
      await page.route(list, async route => {
        const response = await route.fetch()
        const items: { permissions: string }[] = await response.json()
        const json = items.map(item => ({ ...item, permissions: `${BigInt(item.permissions) | unknown}` }))
        await route.fulfill({ response, json })
      })
    }
    await page.route(`**${rolesPath}/${role.id}`, async route => {
      saved.push(route.request().postDataJSON())
      await route.fulfill({ json: role })
    })
  })
  await page.getByRole('button', { name: 'Edit: Moderators' }).click()
  await page.getByLabel('Remove members').uncheck()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await waitForValue(() => saved, [{ permissions: `${MANAGE_ROLES | unknown}` }])
  assert.deepEqual(problems, [])
  // The list of roles is requested again after the change.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a moderator moves roles that share a position below their own role (community/permission-hierarchy)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}`
  const permissions = String(Permission.MANAGE_ROLES)
  const create = async (name: string, position: number) =>
    (await ann.client.json('POST', `${path}/roles`, { name, permissions, position })).body
  await create('Captains', 9)
  const officers = await create('Officers', 2)
  await create('Pilots', 1)
  await create('Guests', 1)
  await ann.client.json('PUT', `${path}/members/${bob.id}/roles/${officers.id}`)
  const { page, problems } = await openAs(t, service, bob, `/channels/${server.id}/settings/roles`)
  const order = () => page.getByRole('main').getByRole('listitem').locator('strong').allInnerTexts()
  await waitForValue(order, ['Captains', 'Officers', 'Pilots', 'Guests', '@everyone'])
  assert.equal(await page.getByRole('button', { name: 'Move Pilots up' }).isEnabled(), false)
  assert.equal(await page.getByRole('button', { name: 'Move Officers down' }).isEnabled(), false)
  await page.getByRole('button', { name: 'Move Guests up' }).click()
  await waitForValue(order, ['Captains', 'Officers', 'Guests', 'Pilots', '@everyone'])
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.deepEqual(problems, [])
})
