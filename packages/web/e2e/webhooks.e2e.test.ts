import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { listenHttp } from '@gatehouse/testkit/listen'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { confirmDialog, named, openAs, waitForValue } from './testing.ts'

test('creates, names, executes and deletes a webhook and replaces its URL', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, ann, `${path}/settings/webhooks`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('Name').fill('Builds')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('No deliveries yet.').waitFor()

  const copyUrl = async () => {
    await page.getByRole('button', { name: /^Cop(y|ied)$/ }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const urlField = page.getByLabel('Webhook URL')
  assert.equal(await urlField.getAttribute('type'), 'password', 'the URL is hidden')
  const first = await copyUrl()
  assert.equal((await post(first, { content: 'Build 42 is green' })).status, 204)
  assert.equal((await post(first, { embeds: [{ title: 'x'.repeat(300) }] })).status, 400)
  await page.reload()
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  const log = page.getByRole('region', { name: 'Recent deliveries' })
  await log.getByText('embeds[0].title').waitFor()
  await log.getByText('Posted', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Regenerate URL' }).click()
  await confirmDialog(page, 'Regenerate URL')
  await page.locator(`input:not([value="${first}"])[readonly]`).waitFor()
  const second = await copyUrl()
  assert.notEqual(second, first)
  assert.equal((await post(first, { content: 'Lost' })).status, 404)
  service.clock.advance(3000)
  assert.equal((await post(second, { content: 'Build 43 is green' })).status, 204)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await confirmDialog(page, 'Delete')
  await page.getByText('No webhooks yet').waitFor()
  assert.equal((await post(second, { content: 'Lost' })).status, 404)
  await page.keyboard.press('Escape')
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('Build 42 is green').waitFor()
  await messages.getByText('Build 43 is green').waitFor()
  assert.equal(await messages.getByText('Lost').count(), 0)
  assert.deepEqual(problems, [])
})

test('uploads a picture of a webhook, shows it beside posts, and removes it (webhooks/picture)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const list = `/api/channels/${general.id}/webhooks`
  const { body: webhook } = await ann.client.json('POST', list, { name: 'Builds' })
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, ann, `${path}/settings/webhooks`)
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  const picture = { name: 'a.png', mimeType: 'image/png', buffer: png }
  await page.locator('input[type=file]').setInputFiles(picture)
  await page.locator('.webhook-avatar img[src^="data:"]').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.locator(`.webhook-avatar img[src^="/images/webhooks/${webhook.id}/"]`).waitFor()
  assert.equal(await page.getByLabel('Avatar URL').count(), 0)
  await ann.client.json('POST', new URL(webhook.url).pathname, { content: 'Build 42 is green' })
  await page.getByRole('button', { name: 'Remove image' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await ann.client.get(list)).body[0].avatar, null)
  await page.getByLabel('Avatar URL').waitFor()

  await page.locator('input[type=file]').setInputFiles({ ...picture, buffer: png.subarray(0, 40) })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.locator('.webhook-avatar').getByText(/image/i).last().waitFor()
  assert.equal((await ann.client.get(list)).body[0].avatar, null)
  assert.deepEqual(problems, [])
})

test('copies a rejected delivery as curl without the token, and sends it again (webhooks/delivery-log)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const { body: webhook } = await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, {
    name: 'Builds',
  })
  const body = JSON.stringify({ content: '', username: 'x'.repeat(81), avatar_url: 'ftp://x' })
  const path = new URL(webhook.url).pathname
  const post = (body: string) =>
    service.client().send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  assert.equal((await post(body)).status, 400)
  const { page, problems } = await openAs(
    t,
    service,
    ann,
    `/channels/${server.id}/${general.id}/settings/webhooks`,
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  const log = page.getByRole('region', { name: 'Recent deliveries' })
  await log.getByText('username: Must be 80 or fewer in length.').waitFor()
  await log.getByText('avatar_url: Scheme "ftp" is not supported').waitFor()
  await log.getByRole('button', { name: 'Copy as curl' }).click()
  await log.getByRole('button', { name: 'Copied' }).waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  assert.ok(command.includes(`/api/webhooks/${webhook.id}/$TOKEN" \\\n`), command)
  assert.ok(command.includes(`--data-raw '${body}'`) && !command.includes(webhook.token), command)
  await log.getByRole('button', { name: 'Send again' }).click()
  await log.getByText('username: Must be 80 or fewer in length.').nth(1).waitFor()
  assert.equal((await post(JSON.stringify({ content: 'x'.repeat(3000) }))).status, 400)
  await page.reload()
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  const cut = log.getByRole('listitem').first()
  await cut.getByText('Request body').click()
  await cut.getByText(/The first 1,?024 of 3,?014 bytes/).waitFor()
  assert.equal(await cut.getByRole('button', { name: 'Send again' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('shows the URL to the creator only, and another manager becomes the creator by replacing it', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const bob = await register(service, 'bob')
  const { server, general } = await createServer(ann)
  const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
  await bob.client.json('POST', `/api/invites/${invite.body.code}`)
  await ann.client.json('PUT', `/api/channels/${general.id}/overwrites/${bob.id}`, {
    type: 'member',
    allow: String(Permission.MANAGE_WEBHOOKS),
    deny: '0',
  })
  await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Builds' })
  const path = `/channels/${server.id}/${general.id}/settings/webhooks`
  const { page, problems } = await openAs(t, service, bob, path)
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  await page.getByText(`Only ${named('ann')} can see this URL`).waitFor()
  assert.equal(await page.getByLabel('Webhook URL').count(), 0)
  await page.getByRole('button', { name: 'Regenerate URL' }).click()
  await confirmDialog(page, 'Regenerate URL')
  await page.getByText(`Created by ${named('bob')}`).waitFor()
  assert.match(await page.getByLabel('Webhook URL').inputValue(), /\/api\/webhooks\/\d+\//)
  assert.deepEqual(problems, [])
})

/** A host with one picture, which the service may reach. Browsers must not. */
async function servePicture(t: TestContext) {
  const service = await startService(t, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1' } })
  const { url } = await listenHttp(t, (request, response) =>
    request.url === '/robot.png' ? response.end(png) : response.writeHead(404).end(),
  )
  const watch = (page: Page) => {
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    return { toOthers: () => requests.filter(request => !request.startsWith(service.url)) }
  }
  return { service, picture: `${url}/robot.png`, missingPicture: `${url}/gone.png`, watch }
}

test('sets and removes the avatar of a webhook and moves it to another channel', async t => {
  const { service, picture, watch } = await servePicture(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const createWebhook = (channelId: string, name: string) =>
    ann.client.json('POST', `/api/channels/${channelId}/webhooks`, { name })
  const addChannel = async (name: string): Promise<string> =>
    (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name })).body.id
  const [builds, full] = [await addChannel('builds'), await addChannel('full')]
  const hook = (await createWebhook(general.id, 'Robot')).body
  for (let i = 0; i < 15; i++) assert.equal((await createWebhook(full, `Hook ${i}`)).status, 201)
  const { page, problems } = await openAs(
    t,
    service,
    ann,
    `/channels/${server.id}/${general.id}/settings/webhooks`,
  )
  const { toOthers } = watch(page)
  const readWebhook = async (channelId = general.id) =>
    (await ann.client.get(`/api/channels/${channelId}/webhooks`)).body.find(
      ({ id }: { id: string }) => id === hook.id,
    )
  const changes: unknown[] = []
  page.on('request', request => {
    if (request.method() === 'PATCH') changes.push(request.postDataJSON())
  })
  const save = page.getByRole('button', { name: 'Save changes' })
  await page.getByRole('button', { name: 'Edit: Robot' }).click()

  const urlField = page.getByLabel('Avatar URL')
  await urlField.fill(` ${picture} `)
  await save.click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual(changes, [{ avatar: picture }])
  assert.equal((await readWebhook()).avatar, picture)
  await waitForValue(
    () => page.locator('img.avatar[src^="/media-proxy?"]').count(),
    2,
    'shown in the row and in the form',
  )
  await page.getByRole('button', { name: 'Remove image' }).click()
  await save.click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await readWebhook()).avatar, null)

  await page.getByLabel('Channel').selectOption('#full')
  await save.click()
  await page.getByText('That channel already has the maximum of 15 webhooks.').waitFor()
  await page.getByLabel('Channel').selectOption('#builds')
  await save.click()
  await page.getByText('Robot now posts to #builds.').waitFor()
  await page.getByText('No webhooks yet').waitFor()
  assert.equal((await readWebhook(builds)).channelId, builds)
  await page.getByRole('link', { name: 'Show webhook' }).click()
  await page.getByRole('button', { name: 'Edit: Robot' }).waitFor()
  const sent = await fetch(hook.url, { method: 'POST', body: new URLSearchParams({ content: 'Still here' }) })
  assert.equal(sent.status, 204, 'the URL is unchanged')
  await page.keyboard.press('Escape')
  await page.getByLabel('Messages in builds').getByText('Still here').waitFor()
  assert.deepEqual(toOthers(), [])
  assert.deepEqual(problems, [])
})

test('a new URL keeps what is edited in the form, and the other fields show changes by others', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const api = `/api/channels/${general.id}/webhooks`
  const picture = 'https://pictures.example/robot.png'
  const hook = (await ann.client.json('POST', api, { name: 'Robot' })).body
  const path = `/channels/${server.id}/${general.id}/settings/webhooks`
  const { page, problems } = await openAs(t, service, ann, path)
  await page.getByRole('button', { name: 'Edit: Robot' }).click()
  await page.getByLabel('Avatar URL').fill(picture)
  await ann.client.json('PATCH', `${api}/${hook.id}`, { name: 'Machine' })
  await page.getByRole('button', { name: 'Regenerate URL' }).click()
  await confirmDialog(page, 'Regenerate URL')
  await waitForValue(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Machine')
  assert.equal(await page.getByLabel('Avatar URL').inputValue(), picture)
  assert.deepEqual(problems, [])
})

/** Opens a channel with two embeds: `Down` has fields and an image, the images of `Lost` fail to load. */
async function openEmbeds(t: TestContext) {
  const { service, picture, missingPicture, watch } = await servePicture(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const hook = await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Robot' })
  const field = (name: string, inline = true) => ({ name, value: `of ${name}`, inline })
  const embeds = [
    {
      title: 'Down',
      description: 'Labels:\n - host = db1\nSince <t:1768478400:F>',
      fields: [
        field('one'),
        field('two'),
        field('three'),
        field('four'),
        field('five'),
        field('wide', false),
      ],
      thumbnail: { url: picture },
    },
    {
      title: 'Lost',
      description: 'Labels, and more of them than one line holds: '.repeat(4),
      thumbnail: { url: missingPicture },
      image: { url: missingPicture },
    },
  ]
  const message = { embeds, avatar_url: picture }
  const posted = await service.client().json('POST', new URL(hook.body.url).pathname, message)
  assert.equal(posted.status, 204)
  const path = `/channels/${server.id}/${general.id}`
  const opened = await openAs(t, service, ann, '/', {
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
  })
  const { toOthers } = watch(opened.page)
  await opened.page.goto(service.url + path)
  return { ...opened, toOthers, missingPicture, card: opened.page.getByRole('article', { name: 'Down' }) }
}

test('renders embeds with inline fields, timestamps and lists, also in the confirmation of their deletion', async t => {
  const { page, problems, toOthers, card } = await openEmbeds(t)
  const timestamp = card.locator('time')
  await timestamp.waitFor()
  assert.equal(await timestamp.getAttribute('datetime'), '2026-01-15T12:00:00.000Z')
  assert.match((await timestamp.textContent()) ?? '', /Thursday,? 15 January 2026 at 12:00/)
  assert.equal(await card.locator('li').textContent(), 'host = db1')
  await page.locator('img.avatar[src^="/media-proxy?"]').waitFor()

  /** The names of the fields of each row. Measured in one call, because the list may be moving. */
  const rows = async () => {
    const tops = await card.evaluate(element =>
      [...element.querySelectorAll('dd')].map(value => ({
        name: value.textContent.replace('of ', ''),
        top: Math.round(value.getBoundingClientRect().top),
      })),
    )
    return [...Map.groupBy(tops, ({ top }) => top).values()].map(row => row.map(({ name }) => name).join(' '))
  }
  await waitForValue(rows, ['one two three', 'four five', 'wide'])

  // The confirmation dialog shows the same content.
  await card.hover()
  await page.getByRole('button', { name: 'Delete' }).click()
  const preview = page.getByRole('alertdialog').getByRole('article', { name: 'Down' })
  assert.equal(await preview.locator('li').textContent(), 'host = db1')
  await page.keyboard.press('Escape')
  await preview.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.waitForFunction(() => innerWidth === 360)
  await waitForValue(rows, ['one two', 'three four', 'five', 'wide'])
  assert.deepEqual(toOthers(), [])
  assert.deepEqual(problems, [])
})

test('renders the images of embeds, and links to those that fail to load (webhooks/media-proxy)', async t => {
  const { page, problems, toOthers, missingPicture, card } = await openEmbeds(t)
  // An image that fails to load leaves its space to the text.
  const measureText = (name: string) =>
    page.getByRole('article', { name, exact: true }).evaluate(element => ({
      pixels: element.clientWidth - (element.querySelector('.body')?.clientWidth ?? 0),
      pictures: element.querySelectorAll('img').length,
    }))
  await page.waitForFunction(() => !document.querySelector('[aria-label="Lost"] img'))
  await card.locator('img').evaluate((image: HTMLImageElement) => image.decode())
  const [withImage, withoutImage] = [await measureText('Down'), await measureText('Lost')]
  assert.deepEqual([withImage.pictures, withoutImage.pictures], [1, 0])
  assert.ok(
    withImage.pixels > 100 && withoutImage.pixels < 60,
    `${withImage.pixels} and ${withoutImage.pixels} pixels beside the text`,
  )

  // Instead of the large image there is a link to it, which asks before it opens.
  const link = page
    .getByRole('article', { name: 'Lost', exact: true })
    .getByRole('link', { name: 'Open the image' })
  assert.equal(await link.getAttribute('href'), missingPicture)
  assert.deepEqual(toOthers(), [])
  assert.deepEqual(problems, [])
})
