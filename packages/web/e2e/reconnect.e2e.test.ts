import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchBrowser } from '../../../tools/browser.ts'
import { startServiceProcess } from '../../../tools/service-process.ts'
import { found, register } from '../../server/src/platform/testing.ts'
import { createClient, startService } from '../../server/src/testing.ts'
import { openAs } from './testing.ts'

const interrupted = 'Reconnecting…'

test('a client that lost the service says so, catches up, and what failed goes out once', async t => {
  const service = await startServiceProcess()
  t.after(() => service.remove())
  const browser = await launchBrowser(t)
  const client = () => createClient(service.url)
  const [ann, bob] = [await register({ client }, 'ann'), await register({ client }, 'bob')]
  const { server, general } = await found(ann, bob)
  const { page, problems, connected } = await openAs(
    browser,
    service,
    ann,
    `/channels/${server.id}/${general.id}`,
  )
  const composer = page.getByLabel('Message #general')
  const messages = page.getByLabel('Messages in general')
  const say = async (text: string) => {
    await composer.fill(text)
    await page.keyboard.press('Enter')
  }
  await say('Before the storm')
  await messages.getByText('Before the storm').waitFor()
  await connected

  await service.end('SIGTERM')
  await page.getByText(interrupted).waitFor()
  await say('Into the wind')
  await messages.getByText('It goes out as soon as the service is reached again.').waitFor()
  await messages.getByRole('button', { name: 'Retry' }).waitFor()

  await service.start()
  await messages.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' })
  await page.getByText(interrupted).waitFor({ state: 'detached' })
  const posted = await bob.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'Land' })
  assert.equal(posted.status, 201, posted.text)
  await messages.getByText('Land').waitFor()

  assert.equal(await messages.getByText('Into the wind').count(), 1)
  const history = await bob.client.get(`/api/channels/${general.id}/messages`)
  const contents = history.body.map(({ content }: { content: string }) => content)
  assert.deepEqual(contents, ['Land', 'Into the wind', 'Before the storm'])
  assert.deepEqual(
    problems.filter(problem => !problem.includes('WebSocket')),
    [],
  )
})

test('a message whose answer was lost on the way is one message, and is known to be sent', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const { page, problems } = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  const messages = page.getByLabel('Messages in general')
  const path = `${service.url}/api/channels/${general.id}/messages`
  const repeated = Promise.withResolvers<void>()
  let lost = 0
  await page.route(path, async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    lost += 1
    await route.abort('connectionreset')
    if (lost === 2) repeated.resolve()
  })
  await page.getByLabel('Message #general').fill('Once')
  await page.keyboard.press('Enter')
  await repeated.promise
  // The gateway tells of one's own message with the nonce of its request.
  await messages.locator('article:not(.sending, .failed)').getByText('Once').waitFor()
  assert.equal(await messages.getByText('Once').count(), 1)
  assert.equal(await messages.getByRole('button', { name: 'Retry' }).count(), 0)
  assert.equal((await ann.client.get(`/api/channels/${general.id}/messages`)).body.length, 1)
  assert.deepEqual(problems, [])
})
