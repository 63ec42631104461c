import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Application } from '@gatehouse/protocol/applications'
import { createTranslate, type Locale } from '@gatehouse/protocol/locales'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createApplication, installBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { en } from '../src/core/i18n/en.ts'
import { ru } from '../src/core/i18n/ru.ts'
import { settingsEn } from '../src/core/i18n/settings-en.ts'
import { settingsRu } from '../src/core/i18n/settings-ru.ts'
import { openAs, waitForValue } from './testing.ts'

async function createRole({ client }: TestUser, serverId: string, name: string, permissions = '0') {
  const { id } = await client.call('createRole', { id: serverId, body: { name, permissions } })
  return id
}

/** A user with an application and a server with the role Pilots. */
async function createOwner(t: TestContext) {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  const pilots = await createRole(ann, server.id, 'Pilots')
  const { id } = await createApplication(ann.client, { name: 'Grafana' })
  const update = (body: object) => ann.client.call('updateApplication', { id, body })
  const read = (): Promise<Application> => ann.client.call('getApplication', { id })
  const open = (locale = 'en-GB') => openAs(t, service, ann, `/developers/${id}/sign-in`, { locale })
  return { service, ann, server, pilots, update, read, open }
}

const languages = {
  en: createTranslate({ ...en, ...settingsEn }, 'en'),
  ru: createTranslate({ ...ru, ...settingsRu }, 'ru'),
} satisfies Record<Locale, unknown>
const english = languages.en

/** The form that has this heading, or is below it. */
function findForm(page: Page, heading: string) {
  const has = page.getByRole('heading', { name: heading, exact: true })
  return page.locator('form').filter({ has }).or(page.locator('section').filter({ has }).locator('form'))
}

for (const [language, text] of Object.entries(languages)) {
  test(`the keyboard sets who may sign in, and the groups: ${language} (sign-in/server-binding)`, async t => {
    const { server, pilots, read, open } = await createOwner(t)
    const { page, problems } = await open(language)
    const form = findForm(page, text('binding.title'))
    await form.getByText(text('binding.everyUser')).waitFor()
    await form.getByLabel(text('binding.server')).press('ArrowDown')
    await form.getByLabel(text('binding.membersOnly')).press('Space')
    await form.getByText(text('binding.everyMember')).waitFor()
    const check = (group: string) =>
      form.getByRole('group', { name: group }).getByLabel('Pilots').press('Space')
    await check(text('binding.requiredRoles'))
    await form.getByText(text('binding.membersWithRole')).waitFor()
    await check(text('binding.sentRoles'))
    await form.getByLabel(text('binding.addGroups')).press('Space')
    const claim = form.getByLabel(text('binding.groupsClaim'))
    await claim.pressSequentially('roles')
    assert.deepEqual(await findViolations(page), [])
    await claim.press('Enter')
    await form.getByText(text('action.saved')).waitFor()

    // The service made the group from the name.
    const group = form.getByLabel(text('binding.group', { name: 'Pilots' }))
    await waitForValue(() => group.inputValue(), 'pilots')
    await group.press('End')
    await group.pressSequentially('.1')
    await group.press('Enter')
    await waitForValue(async () => (await read()).server, {
      id: server.id,
      membersOnly: true,
      requiredRoles: [pilots],
      groups: [{ roleId: pilots, value: 'pilots.1' }],
      groupsClaim: 'roles',
    })
    assert.deepEqual((await read()).addedScopes, ['groups'])
    assert.deepEqual(problems, [])
  })

  test(`the keyboard sets the scopes and the refresh grace: ${language} (sign-in/added-scopes)`, async t => {
    const { update, read, open } = await createOwner(t)
    // The form does not show it.
    await update({ addedScopes: ['groups'] })
    const { page, problems } = await open(language)
    const scopes = findForm(page, text('console.scopes'))
    await scopes.getByLabel(text('console.emailRequired')).press('Space')
    await scopes.getByLabel(text('console.emailVerifiedOnly')).press('Space')
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
    const { emailRequired, emailVerifiedOnly, defaultScopes, addedScopes, refreshGrace } = await read()
    assert.deepEqual([emailRequired, emailVerifiedOnly, refreshGrace], [true, true, true])
    assert.deepEqual(defaultScopes, ['identify', 'openid'])
    assert.deepEqual(addedScopes, ['servers.members.read', 'groups'])
    assert.deepEqual(problems, [])
  })
}

test('offers the servers that the user manages, without @everyone and the roles of bots', async t => {
  const { service, ann, server, update, open } = await createOwner(t)
  const bob = await register(service, 'bob')
  await createServer(bob, ann)
  await installBot(ann.client, server.id)
  await update({ server: { id: server.id, membersOnly: true } })
  const { page } = await open()
  const form = findForm(page, english('binding.title'))
  const roles = form.getByRole('group', { name: english('binding.requiredRoles') }).getByRole('checkbox')
  await roles.first().waitFor()
  assert.equal(await roles.count(), 1)
  assert.deepEqual(await form.getByLabel(english('binding.server')).getByRole('option').allTextContents(), [
    english('binding.noServer'),
    server.name,
  ])
})

test('a deleted role stays required until the user deselects it (sign-in/members-only)', async t => {
  const { ann, server, pilots, update, read, open } = await createOwner(t)
  const keepers = await createRole(ann, server.id, 'Keepers')
  await update({ server: { id: server.id, membersOnly: true, requiredRoles: [pilots] } })
  await ann.client.call('deleteRole', { id: server.id, roleId: pilots })
  const { page, problems } = await open()
  const form = findForm(page, english('binding.title'))
  const required = form.getByRole('group', { name: english('binding.requiredRoles') })
  const deleted = required.getByLabel(english('binding.deletedRole', { id: pilots }))
  const save = form.getByRole('button', { name: english('action.save') })
  assert.equal(await deleted.isChecked(), true)
  await required.getByLabel('Keepers').press('Space')
  await save.press('Enter')
  await form.getByRole('alert').getByText(english('binding.deselectDeleted')).waitFor()
  assert.deepEqual((await read()).server?.requiredRoles, [pilots])

  await deleted.press('Space')
  await save.press('Enter')
  await form.getByText(english('action.saved')).waitFor()
  assert.deepEqual((await read()).server?.requiredRoles, [keepers])
  await deleted.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a server that the user no longer manages stays until the user removes it (sign-in/server-binding)', async t => {
  const { service, ann, update, read, open } = await createOwner(t)
  const bob = await register(service, 'bob')
  const { server } = await createServer(bob, ann)
  const permissions = formatPermissions(Permission.MANAGE_SERVER)
  const roleId = await createRole(bob, server.id, 'Managers', permissions)
  const place = { id: server.id, userId: ann.id }
  await bob.client.call('addMemberRole', { ...place, roleId })
  await update({ server: { id: server.id, membersOnly: true, requiredRoles: [roleId] } })
  await bob.client.call('removeMemberRole', { ...place, roleId })
  const { page, problems, connected } = await open()
  await connected
  const form = findForm(page, english('binding.title'))
  await form.getByText(english('binding.serverNotManaged')).waitFor()
  await form.getByText(english('binding.nobody')).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await bob.client.call('deleteServer', { id: server.id })
  await form.getByText(english('binding.serverGone')).waitFor()
  assert.equal((await read()).server?.id, server.id)

  await form.getByLabel(english('binding.server')).press('Home')
  await form.getByText(english('binding.everyUser')).waitFor()
  await form.getByRole('button', { name: english('action.save') }).press('Enter')
  await form.getByText(english('action.saved')).waitFor()
  assert.equal((await read()).server, null)
  assert.deepEqual(problems, [])
})

test('shows errors of a group and of the second claim at their fields', async t => {
  const { server, pilots, update, read, open } = await createOwner(t)
  await update({ server: { id: server.id, groups: [{ roleId: pilots }] } })
  const { page } = await open()
  const form = findForm(page, english('binding.title'))
  const group = form.getByLabel(english('binding.group', { name: 'Pilots' }))
  const claim = form.getByLabel(english('binding.groupsClaim'))
  await group.fill('two words')
  await group.press('Enter')
  await form.getByText(english('binding.groupProblem')).waitFor()
  assert.equal(await group.getAttribute('aria-invalid'), 'true')
  await group.fill('pilots')
  await claim.fill('email')
  await claim.press('Enter')
  await form.getByText(english('binding.groupsClaimProblem')).waitFor()
  assert.equal(await claim.getAttribute('aria-invalid'), 'true')
  assert.equal((await read()).server?.groupsClaim, null)
})
