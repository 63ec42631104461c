import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

const viewChannel = String(1 << 10)

async function request({ client }: TestUser, method: string, path: string, body?: unknown) {
  const reply = await client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

test('marks a private channel and lists and suggests only members who can view it', async t => {
  const service = await startService(t)
  const [ann, bob, cem] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
  ]
  const { server } = await createServer(ann, bob, cem)
  const secret = await request(ann, 'POST', `/api/servers/${server.id}/channels`, { name: 'secret' })
  const role = await request(ann, 'POST', `/api/servers/${server.id}/roles`, {
    name: 'Crew',
    permissions: '0',
  })
  const path = `/channels/${server.id}/${secret.id}`
  const { page, problems, connected } = await openAs(t, service, ann, path)
  const members = page.getByRole('complementary', { name: 'Members' })
  const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
  const composer = page.getByLabel('Message #secret')
  const link = page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: /^secret/ })
  await members.getByText('cem').waitFor()
  await connected
  assert.equal(await link.getAttribute('aria-label'), null)
  assert.equal(await page.getByRole('link', { name: 'secret private channel' }).count(), 0)

  // Permission changes update the open lists.
  const overwrites = `/api/channels/${secret.id}/overwrites`
  await request(ann, 'PUT', `${overwrites}/${server.id}`, { type: 'role', allow: '0', deny: viewChannel })
  await members.getByText('cem').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'secret private channel' }).waitFor()
  await page.getByRole('banner').getByText('private channel').first().waitFor()
  await page.getByText('This channel is private').waitFor()
  assert.equal(await members.getByText('bob').count(), 0)

  await request(ann, 'PUT', `${overwrites}/${role.id}`, { type: 'role', allow: viewChannel, deny: '0' })
  await request(ann, 'PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
  await members.getByText('bob').waitFor()
  await composer.fill('@')
  await suggestions.first().waitFor()
  assert.deepEqual((await suggestions.allInnerTexts()).map(text => text.split('\n')[0]).sort(), [
    'ann',
    'bob',
  ])
  await composer.fill('Hello @bob and @cem')
  await page.keyboard.press('Enter')
  await page.getByText('and @cem').waitFor()
  await waitForValue(async () => {
    const messages = (await ann.client.get(`/api/channels/${secret.id}/messages`)).body
    return messages.map(({ content }: { content: string }) => content)
  }, [`Hello <@${bob.id}> and @cem`])

  const bobWindow = await openAs(t, service, bob, path, { viewport: { width: 360, height: 740 } })
  await bobWindow.page.getByRole('button', { name: 'Show members' }).click()
  const bobMembers = bobWindow.page.getByRole('complementary', { name: 'Members' })
  await bobMembers.getByText('ann').waitFor()
  await bobWindow.connected
  assert.equal(await bobMembers.getByText('cem').count(), 0)
  await request(ann, 'PUT', `${overwrites}/${cem.id}`, { type: 'member', allow: viewChannel, deny: '0' })
  for (const list of [members, bobMembers]) await list.getByText('cem').waitFor()
  await request(ann, 'DELETE', `/api/servers/${server.id}/roles/${role.id}`)
  await members.getByText('bob').waitFor({ state: 'detached' })
  await bobWindow.page.getByText('This channel does not exist, or you cannot view it.').waitFor()

  await request(ann, 'DELETE', `${overwrites}/${server.id}`)
  await members.getByText('bob').waitFor()
  await page.getByRole('link', { name: 'secret private channel' }).waitFor({ state: 'detached' })
  await request(ann, 'PATCH', `/api/servers/${server.id}/roles/${server.id}`, { permissions: '0' })
  await page.getByRole('link', { name: 'general private channel' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('loads the members of a private channel from the service if the server has more than are loaded', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  await service.db.transaction(async tx => {
    for (let n = 0; n < 1100; n++) {
      const id = String(2_000_000_000_000_000_000n + BigInt(n))
      await tx.run`
        INSERT INTO users (id, username, display_name, bot, created_at)
        VALUES (${id}, ${`person${n}`}, ${`Person ${n}`}, 0, 0)`
      await tx.run`
        INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
        VALUES (${server.id}, ${id}, NULL, 0, ${id})`
    }
  })
  const secret = await request(ann, 'POST', `/api/servers/${server.id}/channels`, { name: 'secret' })
  const overwrites = `/api/channels/${secret.id}/overwrites`
  await request(ann, 'PUT', `${overwrites}/${server.id}`, { type: 'role', allow: '0', deny: viewChannel })
  await request(ann, 'PUT', `${overwrites}/2000000000000001099`, {
    type: 'member',
    allow: viewChannel,
    deny: '0',
  })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${secret.id}`)
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('Person 1099').waitFor()
  assert.equal(await members.getByRole('button').count(), 2)
  assert.deepEqual(problems, [])
})

test('creates a private channel with the roles and members who can view it (community/private-channels)', async t => {
  const service = await startService(t)
  const [ann, bob, cem] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
  ]
  const { server, general } = await createServer(ann, bob, cem)
  await request(ann, 'POST', `/api/servers/${server.id}/roles`, { name: 'Crew', permissions: '0' })
  const phone = { viewport: { width: 390, height: 800 } }
  const [bobWindow, cemWindow] = [
    await openAs(t, service, bob, `/channels/${server.id}/${general.id}`),
    await openAs(t, service, cem, `/channels/${server.id}/${general.id}`),
  ]
  await Promise.all([bobWindow.connected, cemWindow.connected])
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`, phone)
  await page.getByRole('button', { name: 'Open channels' }).click()
  await page.getByRole('button', { name: 'Create a channel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a channel' })
  await dialog.getByLabel('Channel name').fill('cabin')
  await dialog.getByLabel('Private channel').check()
  for (const name of ['Crew', 'bob']) {
    await dialog.getByRole('button', { name: 'Add: Role or member' }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill(name)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: `Remove: ${name}` }).waitFor()
  }
  await dialog.getByRole('button', { name: 'Remove: Crew' }).click()
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByLabel('Message #cabin').waitFor()
  await bobWindow.page.getByRole('link', { name: 'cabin private channel' }).waitFor()
  assert.equal(await cemWindow.page.getByRole('link', { name: /cabin/ }).count(), 0)
  assert.deepEqual([...problems, ...bobWindow.problems, ...cemWindow.problems], [])
})
