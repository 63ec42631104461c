import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Application } from '@gatehouse/protocol/applications'
import type { Locale } from '@gatehouse/protocol/locales'
import { createApplication } from '@gatehouse/testkit/applications'
import { register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { type Dictionary, en } from '../src/core/i18n/en.ts'
import { ru } from '../src/core/i18n/ru.ts'
import { createTranslate } from '../src/core/i18n/translate.ts'
import { openAs } from './testing.ts'

/** A user with an application. */
async function createOwner(t: TestContext) {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client, { name: 'Grafana' })
  const update = (body: object) => ann.client.call('updateApplication', { id, body })
  const read = (): Promise<Application> => ann.client.call('getApplication', { id })
  const open = (locale = 'en-GB') => openAs(t, service, ann, `/developers/${id}/sign-in`, { locale })
  return { update, read, open }
}

/** The form below this heading. */
function findForm(page: Page, heading: string) {
  const has = page.getByRole('heading', { name: heading, exact: true })
  return page.locator('section').filter({ has }).locator('form')
}

const languages: Record<Locale, Dictionary> = { en, ru }
for (const [language, dictionary] of Object.entries(languages)) {
  const text = createTranslate(dictionary, language)

  test(`the keyboard sets the scopes and the refresh grace: ${language} (sign-in/added-scopes)`, async t => {
    const { update, read, open } = await createOwner(t)
    // The form does not show it.
    await update({ addedScopes: ['groups'] })
    const { page, problems } = await open(language)
    const scopes = findForm(page, text('console.scopes'))
    await scopes.getByLabel(text('console.emailRequired')).press('Space')
    const check = (group: string, label: string) =>
      scopes.getByRole('group', { name: group }).getByLabel(label).press('Space')
    await check(text('console.defaultScopes'), text('scope.openid'))
    await check(text('console.defaultScopes'), text('scope.identify'))
    await check(text('console.addedScopes'), text('scope.servers.members.read'))
    await scopes.getByRole('button', { name: text('action.save') }).press('Enter')
    await scopes.getByText(text('action.saved')).waitFor()
    const refresh = findForm(page, text('console.refresh'))
    await refresh.getByLabel(text('console.refreshGrace')).press('Space')
    await refresh.getByRole('button', { name: text('action.save') }).press('Enter')
    await refresh.getByText(text('action.saved')).waitFor()
    const { emailRequired, defaultScopes, addedScopes, refreshGrace } = await read()
    assert.deepEqual([emailRequired, refreshGrace], [true, true])
    assert.deepEqual(defaultScopes, ['identify', 'openid'])
    assert.deepEqual(addedScopes, ['servers.members.read', 'groups'])
    assert.deepEqual(problems, [])
  })
}
