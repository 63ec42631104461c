import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { factorsPath, totpCode, verifyEmail } from '@gatehouse/testkit/accounts'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { createBot } from '@gatehouse/testkit/gateway'
import { png } from '@gatehouse/testkit/images'
import { startService, type TestService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { named, openAs, password, waitForValue } from './testing.ts'

const phone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const
const signedOut = { client: { cookies: new Map<string, string>() } }

async function createInvite({ client }: TestUser, serverId: string, body = {}): Promise<string> {
  const reply = await client.json('POST', `/api/servers/${serverId}/invites`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.code
}

/** Opens the page of an invite without a session. */
async function openInvite(t: TestContext, service: TestService, code: string, options = {}) {
  const opened = await openAs(t, service, signedOut, `/invite/${code}`, options)
  await opened.page.getByRole('heading', { name: 'Server', exact: true }).waitFor()
  return opened
}

async function fillRegistration(page: Page, username: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email address').fill(`${username}@example.org`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
}

/** Sets up an authenticator app for the user and returns the recovery codes. */
async function enableTotp(service: TestService, { client }: TestUser): Promise<string[]> {
  await verifyEmail(service, client)
  const setup = await client.json('POST', `${factorsPath}/totp`, {})
  const code = await totpCode(service, setup.body.secret)
  const confirmed = await client.json('POST', `${factorsPath}/totp/confirm`, { code })
  assert.equal(confirmed.status, 200, confirmed.text)
  return confirmed.body.recoveryCodes
}

async function listMembers({ client }: TestUser, serverId: string): Promise<string[]> {
  const members: { user: { username: string } }[] = (await client.get(`/api/servers/${serverId}/members`))
    .body
  return members.map(({ user }) => user.username)
}

for (const [size, options] of [
  ['wide', {}],
  ['narrow', phone],
] as const) {
  test(`shows the server of an invite, registers a new user with it and opens a channel (${size})`, async t => {
    const service = await startService(t)
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann, bob)
    const bot = await createBot(service, ann)
    await service.db.run`
      INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
      VALUES (${server.id}, ${bot.userId}, NULL, 0, '0')`
    await ann.client.send(`/api/servers/${server.id}/icon`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: png,
    })
    Object.assign(service.config, { registration: 'invite' })
    await service.restart()
    const { page, problems } = await openInvite(
      t,
      service,
      await createInvite(ann, server.id, { maxUses: 1 }),
      options,
    )
    await page.getByText('2 members', { exact: true }).waitFor()
    await waitForValue(() => page.title(), 'Server · Gatehouse')
    const picture = page.locator('.server-icon img')
    assert.equal(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => 1)), 1)
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('link', { name: 'Create an account' }).click()
    await fillRegistration(page, 'cem')
    await page.getByLabel('Message #general').waitFor()
    assert.ok((await listMembers(ann, server.id)).includes('cem'))
    assert.deepEqual(problems, [])
  })

  test(`an existing user signs in with a second factor, joins and sees a channel (${size})`, async t => {
    const service = await startService(t)
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann)
    const codes = await enableTotp(service, bob)
    const { page, problems } = await openInvite(t, service, await createInvite(ann, server.id), options)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username or email address').fill('bob')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Message #general').waitFor()
    assert.ok((await listMembers(ann, server.id)).includes('bob'))
    assert.deepEqual(problems, [])
  })

  test(`asks a signed-in user for confirmation and redirects a member to a channel (${size})`, async t => {
    const service = await startService(t)
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann)
    const code = await createInvite(ann, server.id)
    const { page, problems } = await openAs(t, service, bob, `/invite/${code}`, options)
    await page.getByText('1 member', { exact: true }).waitFor()
    await page.getByText(`You will join as ${named('bob')}.`).waitFor()
    assert.deepEqual(await listMembers(ann, server.id), ['ann'], 'opening the link does not join the server')
    await page.getByRole('button', { name: 'Accept invite' }).click()
    await page.getByLabel('Message #general').waitFor()
    await page.goto(`${service.url}/invite/${code}`)
    await page.getByLabel('Message #general').waitFor()
    assert.deepEqual(problems, [])
  })
}

/** The page of the invite asks for a click, and the user is no member. */
async function assertAsksForClick(page: Page, owner: TestUser, serverId: string) {
  await page.getByRole('button', { name: 'Accept invite' }).waitFor()
  assert.deepEqual(await listMembers(owner, serverId), [owner.username])
}

test('a user who registered with an invite and left does not join again (community/invite-click)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  const code = await createInvite(ann, server.id)
  const { page, problems } = await openInvite(t, service, code)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await fillRegistration(page, 'cem')
  await page.getByLabel('Message #general').waitFor()
  const left = await page.evaluate(
    async id => (await fetch(`/api/servers/${id}/members/@me`, { method: 'DELETE' })).status,
    server.id,
  )
  assert.equal(left, 204)
  await page.goto(`${service.url}/invite/${code}`)
  await assertAsksForClick(page, ann, server.id)
  assert.deepEqual(problems, [])
})

test('an invite whose sign-in was abandoned does not join later (community/invite-click)', async t => {
  const service = await startService(t)
  const [ann] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann)
  const code = await createInvite(ann, server.id)
  const { page, problems } = await openInvite(t, service, code)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username or email address').waitFor()
  for (const path of [
    `/login?return_to=${encodeURIComponent(`/invite/${code}`)}`,
    `/invite/${code}?accepted=1`,
  ]) {
    await page.goto(service.url + path)
    if (path.startsWith('/login')) {
      await page.getByLabel('Username or email address').fill('bob')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await assertAsksForClick(page, ann, server.id)
  }
  assert.deepEqual(problems, [])
})

test('offers no registration if it is closed (community/invite-preview)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  Object.assign(service.config, { registration: 'closed' })
  await service.restart()
  const { page } = await openInvite(t, service, await createInvite(ann, server.id))
  await page.getByText('Sign in to join.').waitFor()
  assert.equal(await page.locator('a[href*="/register"]').count(), 0)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username or email address').waitFor()
  assert.equal(await page.locator('a[href*="/register"]').count(), 0)
})

test('shows an error and a sign-in link for an expired or unknown invite', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  const code = await createInvite(ann, server.id, { expiresIn: 60 })
  service.clock.advance(60_000)
  for (const path of [`/invite/${code}`, '/invite/nonsense']) {
    const { page, problems } = await openAs(t, service, signedOut, path, phone)
    await page.getByRole('heading', { name: 'Invalid invite' }).waitFor()
    await page.getByText('This invite is no longer valid. Ask for a new one.').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username or email address').waitFor()
    assert.deepEqual(problems, [])
  }
})

test('shows the invite in Russian if the browser prefers Russian', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  const { page } = await openInvite(t, service, await createInvite(ann, server.id), { locale: 'ru-RU' })
  await page.getByText('Вас пригласили').waitFor()
  await page.getByRole('link', { name: 'Создать аккаунт' }).waitFor()
})

test('an owner pauses all invites with one button, and resumes them (community/invites-paused)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann)
  const code = await createInvite(ann, server.id)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/invites`)
  await page.getByRole('button', { name: 'Pause invites' }).click()
  await page.getByText('Invites are paused. Nobody can join.').waitFor()
  assert.deepEqual(await findViolations(page), [])

  const bobWindow = await openAs(t, service, bob, `/invite/${code}`, { ...phone, colorScheme: 'dark' })
  await bobWindow.page.getByRole('heading', { name: 'Invites are paused' }).waitFor()
  await bobWindow.page.getByText('Nobody can join this server with an invite at the moment.').waitFor()
  assert.deepEqual(await findViolations(bobWindow.page), [])
  await page.getByRole('button', { name: 'Resume invites' }).click()
  await page.getByRole('button', { name: 'Pause invites' }).waitFor()
  await bobWindow.page.getByRole('button', { name: 'Try again' }).click()
  await bobWindow.page.getByRole('button', { name: 'Accept invite' }).click()
  await bobWindow.page.getByLabel('Message #general').waitFor()
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})
