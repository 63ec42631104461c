import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('the language setting applies to the client and to the server-rendered pages', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/settings/language')
  const language = (name: string) => page.getByLabel(name, { exact: true })

  await language('Language').selectOption({ label: 'Русский' })
  await page.getByRole('heading', { name: 'Язык' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'ru')
  assert.deepEqual(await findViolations(page), [])
  await page.goto(`${service.url}/logout`)
  await page.getByText('Выйти из аккаунта в этом браузере?').waitFor()

  await page.getByRole('link', { name: 'English' }).click()
  await page.getByText('Sign out of this browser?').waitFor()
  await page.goto(`${service.url}/settings/language`)
  await page.getByRole('heading', { name: 'Language' }).waitFor()
  assert.equal(await language('Language').inputValue(), 'en')
  assert.deepEqual(problems, [])
})

test('the pages use the language of the browser and change it without JavaScript', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const context = await browser.newContext({ locale: 'ru-RU', javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await page.getByLabel('Имя пользователя или адрес электронной почты').fill('ann')
  await page.getByLabel('Пароль').fill('wrong password')
  await page.getByRole('button', { name: 'Войти', exact: true }).click()
  await page.getByText('Неверное имя пользователя, адрес электронной почты или пароль.').waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(new URL(page.url()).search, '?return_to=%2Flogout')
})
