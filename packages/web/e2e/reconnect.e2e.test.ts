import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { createClient, startService } from '@gatehouse/testkit/service'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { openAs } from './testing.ts'

const interrupted = 'Reconnecting…'

test('shows a lost connection, catches up after it and sends a failed message once', async t => {
  const service = await startServiceProcess()
  t.after(() => service.remove())
  const client = () => createClient(service.url)
  const [ann, bob] = [await register({ client }, 'ann'), await register({ client }, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const { page, problems, connected } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  const composer = page.getByLabel('Message #general')
  const messages = page.getByLabel('Messages in general')
  const send = async (text: string) => {
    await composer.fill(text)
    await page.keyboard.press('Enter')
  }
  await send('First message')
  await messages.getByText('First message').waitFor()
  await messages.locator('.sending').waitFor({ state: 'detached' })
  await connected

  await service.end('SIGTERM')
  await page.getByText(interrupted).waitFor()
  await send('Failed message')
  await messages.getByText('It will be sent when the service can be reached again.').waitFor()
  await messages.getByRole('button', { name: 'Retry' }).waitFor()

  await service.start()
  await messages.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' })
  await page.getByText(interrupted).waitFor({ state: 'detached' })
  const posted = await bob.client.json('POST', `/api/channels/${general.id}/messages`, {
    content: 'Last message',
  })
  assert.equal(posted.status, 201, posted.text)
  await messages.getByText('Last message').waitFor()

  assert.equal(await messages.getByText('Failed message').count(), 1)
  const history = await bob.client.get(`/api/channels/${general.id}/messages`)
  const contents = history.body.map(({ content }: { content: string }) => content)
  assert.deepEqual(contents, ['Last message', 'Failed message', 'First message'])
  assert.deepEqual(
    problems.filter(problem => !problem.includes('WebSocket')),
    [],
  )
})

test('shows what happened between the first requests and READY', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const messagesPath = `/api/channels/${general.id}/messages`
  const first = await ann.client.json('POST', messagesPath, { content: 'First' })
  const released = Promise.withResolvers<void>()
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    await page.route('**/api/gateway', route => released.promise.then(() => route.continue()))
  })
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('First').waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText('ann').waitFor()

  await ann.client.json('PATCH', `${messagesPath}/${first.body.id}`, { content: 'Edited' })
  await ann.client.json('POST', messagesPath, { content: 'Second' })
  await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'pier' })
  const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
  const cem = await register(service, 'cem')
  await cem.client.json('POST', `/api/invites/${invite.body.code}`)
  released.resolve()
  await messages.getByText('Second').waitFor()
  await page.getByRole('link', { name: 'pier' }).waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText('cem').waitFor()
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), ['Edited', 'Second'])
  assert.deepEqual(problems, [])
})

test('does not duplicate a message whose response was lost and shows it as sent', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const { page, problems, connected } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  await connected
  const messages = page.getByLabel('Messages in general')
  const path = `${service.url}/api/channels/${general.id}/messages`
  const repeated = Promise.withResolvers<void>()
  let requests = 0
  await page.route(path, async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    requests += 1
    await route.abort('connectionreset')
    if (requests === 2) repeated.resolve()
  })
  await page.getByLabel('Message #general').fill('Once')
  await page.keyboard.press('Enter')
  await repeated.promise
  // The gateway event of the message contains the nonce of the request.
  await messages.locator('article:not(.sending, .failed)').getByText('Once').waitFor()
  assert.equal(await messages.getByText('Once').count(), 1)
  assert.equal(await messages.getByRole('button', { name: 'Retry' }).count(), 0)
  assert.equal((await ann.client.get(`/api/channels/${general.id}/messages`)).body.length, 1)
  assert.deepEqual(problems, [])
})

test('what could not be loaded is loaded on request, and when the network is back', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  let isFailing = true
  const path = `/channels/${server.id}/${general.id}`
  const { page } = await openAs(t, service, ann, path, {}, async page => {
    const error = { code: 'unavailable', message: 'Try again later.' }
    await page.route('**/api/servers/*/{channels,members?*}', route =>
      isFailing ? route.fulfill({ status: 503, json: error }) : route.continue(),
    )
  })
  const pane = page.getByRole('main')
  await pane.getByText('This could not be loaded.').waitFor()
  assert.equal(await page.getByText('does not exist').count(), 0)

  isFailing = false
  await pane.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('Message #general').waitFor()
  // The list of members has no button.
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await page.getByRole('button', { name: 'ann Owner' }).waitFor()
})
