import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, openAs, waitForValue } from './testing.ts'

const notice = 'You are no longer a member of Server.'

async function createCommunity(t: TestContext) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  return { service, ann, bob, server, general, path: `/channels/${server.id}/${general.id}` }
}

async function request({ client }: TestUser, method: string, path: string, body?: unknown) {
  const reply = await client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

test('removing a member closes the server in every window of the user and shows a notice', async t => {
  const { service, ann, bob, server, path } = await createCommunity(t)
  const other = await request(bob, 'POST', '/api/servers', { name: 'Elsewhere' })
  const wide = await openAs(t, service, bob, path)
  const narrow = await openAs(t, service, bob, path, { viewport: { width: 360, height: 740 } })
  const inSettings = await openAs(t, service, bob, '/settings/profile')
  for (const { page } of [wide, narrow]) {
    await page.getByLabel('Message #general').fill('not sent yet')
  }
  await inSettings.page.getByText('Change image').waitFor()
  await Promise.all([wide, narrow, inSettings].map(({ connected }) => connected))
  await request(ann, 'DELETE', `/api/servers/${server.id}/members/${bob.id}`)

  for (const { page } of [wide, narrow, inSettings]) await page.getByText(notice).waitFor()
  await wide.page.waitForURL(`${service.url}/channels/${other.id}/*`)
  await narrow.page.waitForURL(`${service.url}/channels/${other.id}/*`)
  assert.equal(new URL(inSettings.page.url()).pathname, '/settings/profile')
  for (const { page } of [wide, narrow]) {
    await waitForValue(() => page.getByLabel('Message #general').inputValue(), '')
    await page.getByRole('link', { name: 'Server', exact: true }).waitFor({ state: 'detached' })
    const status = page.getByRole('status').filter({ hasText: notice })
    await status.getByRole('button', { name: 'Close' }).click()
    await page.getByText(notice).waitFor({ state: 'detached' })
  }

  // After the user joins again, the server is up to date and the draft is restored.
  const channel = await request(ann, 'POST', `/api/servers/${server.id}/channels`, { name: 'harbour' })
  const invite = await request(ann, 'POST', `/api/servers/${server.id}/invites`, {})
  await request(bob, 'POST', `/api/invites/${invite.code}`)
  await wide.page.getByRole('link', { name: 'Server', exact: true }).click()
  await wide.page.getByRole('link', { name: 'harbour' }).waitFor()
  await wide.page.getByRole('link', { name: 'general' }).click()
  await waitForValue(() => wide.page.getByLabel('Message #general').inputValue(), 'not sent yet')
  assert.ok(channel.id)
  assert.deepEqual([...wide.problems, ...narrow.problems, ...inSettings.problems], [])
})

test('deleting a server closes its dialogs and settings', async t => {
  const { service, ann, bob, server, general, path } = await createCommunity(t)
  const role = await request(ann, 'POST', `/api/servers/${server.id}/roles`, {
    name: 'Crew',
    permissions: String((1n << 1n) | (1n << 4n) | (1n << 5n)),
  })
  await request(ann, 'PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
  const leaving = await openAs(t, service, bob, path)
  await leaving.page.getByRole('button', { name: 'Menu of Server' }).click()
  await leaving.page.getByRole('menuitem', { name: 'Leave server' }).click()
  await leaving.page.getByRole('alertdialog').waitFor()
  const creating = await openAs(t, service, bob, path)
  await creating.page.getByRole('button', { name: 'Create a channel' }).click()
  await creating.page.getByLabel('Channel name').fill('harbour')
  const editing = await openAs(t, service, bob, `/channels/${server.id}/${general.id}/settings/overview`)
  await editing.page.getByLabel('Topic').fill('A new topic')
  const windows = [leaving, creating, editing]
  await Promise.all(windows.map(({ connected }) => connected))
  await request(ann, 'DELETE', `/api/servers/${server.id}`)
  for (const { page, problems } of windows) {
    await page.getByText(notice).waitFor()
    await page.getByText('No servers yet').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    assert.deepEqual(problems, [])
  }
})

test('leaving a server shows a notice only in the other windows', async t => {
  const { service, bob, path } = await createCommunity(t)
  const first = await openAs(t, service, bob, path)
  const second = await openAs(t, service, bob, path)
  for (const { page } of [first, second]) await page.getByLabel('Message #general').waitFor()
  await Promise.all([first.connected, second.connected])
  await first.page.getByRole('button', { name: 'Menu of Server' }).click()
  await first.page.getByRole('menuitem', { name: 'Leave server' }).click()
  await confirmDialog(first.page, 'Leave server')
  for (const { page } of [first, second]) await page.getByText('No servers yet').waitFor()
  await second.page.getByText(notice).waitFor()
  assert.equal(await first.page.getByText(notice).count(), 0)
  assert.deepEqual([...first.problems, ...second.problems], [])
})

test('shows the notice after a reconnect if the member was removed while offline', async t => {
  const { service, ann, bob, server, path } = await createCommunity(t)
  const { page, connected, problems } = await openAs(t, service, bob, path)
  await page.getByLabel('Message #general').waitFor()
  await connected
  // The restart drops the gateway sessions, so the client identifies again and reloads its lists.
  await page.context().setOffline(true)
  await service.restart()
  await request(ann, 'DELETE', `/api/servers/${server.id}/members/${bob.id}`)
  await page.context().setOffline(false)
  await page.getByText(notice).waitFor()
  await page.getByText('No servers yet').waitFor()
  assert.deepEqual(
    problems.filter(text => !text.includes('WebSocket')),
    [],
  )
})
