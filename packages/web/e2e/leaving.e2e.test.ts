import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { totpCode, verifyEmail } from '@gatehouse/testkit/accounts'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { confirmDialog, openAs } from './testing.ts'

const secretTitle = 'Leave without copying?'
const inputTitle = 'Discard changes?'

interface Place {
  name: string
  path: string
  /** Brings something onto the page that leaving would lose. */
  fill(page: Page): Promise<unknown>
  /** The title of the confirmation. */
  title: string
  /** A dialog, which Escape closes in place of the page. */
  isDialog?: boolean
}

/** Every place with something that is shown once, or with input, apart from forms of settings (unsaved.e2e.test.ts). */
async function openPlaces(t: TestContext) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  await verifyEmail(service, ann.client)
  const { server, general } = await createServer(ann, bob)
  const app = await createApplication(ann.client, {
    name: 'Dice',
    redirectUris: ['https://site.example/callback'],
  })
  await ann.client.call('createBot', { id: app.id, body: { username: 'dice' } })
  const console = `/developers/${app.id}`
  const settings = `/channels/${server.id}/settings`
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const reset = (name: string) => async (page: Page) => {
    await press(page, name)
    await confirmDialog(page, name)
    await page.locator('.secret-once').waitFor()
  }
  const places: Place[] = [
    { name: 'bot token', path: `${console}/bot`, fill: reset('Reset token'), title: secretTitle },
    {
      name: 'recovery codes',
      path: '/settings/security',
      fill: async page => {
        await press(page, 'Set up an app')
        const secret = await page.getByLabel('Key', { exact: true }).inputValue()
        await page.getByLabel('Code from the app').fill(await totpCode(service, secret))
        await press(page, 'Turn on')
        await page.locator('.secret-once').waitFor()
      },
      title: secretTitle,
    },
    { name: 'client secret', path: `${console}/sign-in`, fill: reset('Reset secret'), title: secretTitle },
    {
      name: 'permissions of the installation link',
      path: `${console}/bot`,
      fill: page => page.getByLabel('Ban members').check(),
      title: inputTitle,
    },
    {
      name: 'permissions of a role',
      path: `${settings}/roles`,
      fill: async page => {
        await press(page, 'Edit: @everyone')
        await page.getByLabel('Ban members').check()
      },
      title: inputTitle,
    },
    {
      name: 'ban dialog',
      path: `${settings}/members`,
      fill: async page => {
        await page.getByRole('button', { name: /^Ban: .*bob/ }).click()
        await page.getByLabel('Reason').fill('Spam')
      },
      title: inputTitle,
      isDialog: true,
    },
    {
      name: 'new channel',
      path: `/channels/${server.id}/${general.id}`,
      fill: async page => {
        await page.getByRole('button', { name: 'Create a channel' }).first().click()
        await page.getByLabel('Channel name').fill('seeds')
      },
      title: inputTitle,
      isDialog: true,
    },
  ]
  return { service, ann, places }
}

test('Escape loses nothing that is shown once and no input: it asks first, in every place', async t => {
  const { service, ann, places } = await openPlaces(t)
  const { page, problems } = await openAs(t, service, ann, '/')
  for (const { name, path, fill, title, isDialog } of places) {
    await t.test(name, async () => {
      await page.goto(service.url + path)
      await fill(page)
      await page.keyboard.press('Escape')
      const confirmation = page.getByRole('alertdialog', { name: title })
      await confirmation.waitFor()
      await confirmation.getByRole('button', { name: 'Cancel' }).click()
      await confirmation.waitFor({ state: 'detached' })
      assert.equal(await page.evaluate(() => location.pathname), path)
      if (isDialog) await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await confirmation.getByRole('button', { name: /^(Leave|Discard changes)$/ }).click()
      await confirmation.waitFor({ state: 'detached' })
      if (isDialog) await page.getByRole('dialog').waitFor({ state: 'detached' })
      else await page.waitForURL(url => url.pathname !== path)
    })
  }
  assert.deepEqual(problems, [])
})

for (const form of ['Bot token', 'The same token for Discord’s libraries']) {
  test(`a token that was copied is not asked for: ${form}`, async t => {
    const { service, ann, places } = await openPlaces(t)
    const [token] = places
    assert.ok(token)
    const { page } = await openAs(t, service, ann, token.path, { permissions: ['clipboard-write'] })
    await token.fill(page)
    const field = page.locator('.secret-once .field').filter({ has: page.getByLabel(form, { exact: true }) })
    await field.getByRole('button', { name: 'Copy' }).click()
    await field.getByText('Copied').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(url => url.pathname !== token.path)
  })
}
