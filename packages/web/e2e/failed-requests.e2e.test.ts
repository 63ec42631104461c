import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

const unavailable = { status: 503, json: { code: 'unavailable', message: 'The service is unavailable.' } }

test('an application that cannot be loaded is not shown as one that does not exist', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client)
  const path = `**/api/applications/${id}`
  const { page, problems } = await openAs(
    t,
    service,
    ann,
    `/developers/${id}/general`,
    {},
    async page => void (await page.route(path, route => route.fulfill(unavailable))),
  )
  const failure = page.getByRole('alert').filter({ hasText: 'This could not be loaded.' })
  await failure.waitFor()
  await page.unroute(path)
  await failure.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'General' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a sign-out that fails is shown and can be repeated', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems, connected } = await openAs(t, service, ann)
  await connected
  await page.route('**/api/auth/logout', route => route.fulfill(unavailable))
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Sign out' })
  await dialog.getByText('The service is busy at the moment.').waitFor()
  await page.unroute('**/api/auth/logout')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.waitForURL(`${service.url}/login`)
  assert.deepEqual(problems, [])
})

test('a mention of a channel opens it without loading the page again', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const other = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })).body
  await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content: `see <#${other.id}>` })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  await page.evaluate(() => Reflect.set(window, 'isSamePage', true))
  await page.locator('.message').getByRole('link', { name: '#other' }).click()
  await page.waitForURL(`**/channels/${server.id}/${other.id}`)
  await page.getByRole('textbox', { name: 'other' }).waitFor()
  assert.equal(await page.evaluate(() => Reflect.get(window, 'isSamePage')), true)
  assert.deepEqual(problems, [])
})

test('the direct messages show that they are loading, and that they could not be loaded', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  await createServer(ann, bob)
  await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
  const path = '**/api/users/@me/channels'
  const released = Promise.withResolvers<void>()
  const refused = { status: 403, json: { code: 'missing_permission', message: 'x' } }
  const { page, problems } = await openAs(
    t,
    service,
    ann,
    '/channels/@me',
    {},
    async page => void (await page.route(path, route => released.promise.then(() => route.fulfill(refused)))),
  )
  const nav = page.getByRole('navigation', { name: 'Direct messages' })
  await nav.locator('.skeleton').first().waitFor()
  assert.equal(await page.getByText('No conversations yet').count(), 0)
  released.resolve()
  await nav.getByText('This could not be loaded.').waitFor()
  await page.unroute(path)
  await nav.getByRole('button', { name: 'Try again' }).click()
  await nav.getByRole('link', { name: 'bob' }).waitFor()
  await page.getByText('No conversation selected').waitFor()
  assert.deepEqual(problems, [])
})
