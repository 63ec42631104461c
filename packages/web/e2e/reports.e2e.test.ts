import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createOperator } from '@gatehouse/testkit/administration'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { confirmDialog, named, openAs, waitForValue } from './testing.ts'

/** A server of Ann with the moderator Mo, and the members Ben, who writes, and Eve. */
async function setUp(service: TestService) {
  const [ann, mo, ben, eve] = [
    await register(service, 'ann'),
    await register(service, 'mo'),
    await register(service, 'ben'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, mo, ben, eve)
  const permissions = Permission.MANAGE_MESSAGES | Permission.BAN_MEMBERS | Permission.KICK_MEMBERS
  const body = { name: 'Crew', permissions: formatPermissions(permissions), position: 5 }
  const role = await ann.client.call('createRole', { id: server.id, body })
  await ann.client.call('addMemberRole', { id: server.id, userId: mo.id, roleId: role.id })
  const message = await say(ben, general.id, 'Buy my **seeds**')
  return { ann, mo, ben, eve, server, general, message }
}

function say({ client }: TestUser, id: string, content: string) {
  return client.call('createMessage', { id, body: { content } })
}

test('a member reports a message with the keyboard, and a moderator deletes it and closes the report', async t => {
  const service = await startService(t)
  const { mo, eve, server, general } = await setUp(service)
  const path = `/channels/${server.id}/${general.id}`
  const moderator = await openAs(t, service, mo, path)
  const reporter = await openAs(t, service, eve, path)
  await Promise.all([moderator.connected, reporter.connected])
  const { page } = reporter
  await page.getByText('Buy my').waitFor()
  await page.getByRole('article').focus()
  await page.getByRole('button', { name: 'Report…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Report message' })
  assert.equal(await dialog.getByRole('button', { name: 'Send report' }).isDisabled(), true)
  await dialog.getByLabel('Reason').fill('Spam')
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Send report' }).press('Enter')
  await dialog.getByText('Your report was sent').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Report…' }).click()
  await dialog.getByLabel('Reason').fill('Spam')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await dialog.getByText('You have already reported this.').waitFor()

  // The badge appears without a reload.
  await moderator.page.getByRole('link', { name: '1 open report' }).click()
  const card = moderator.page.getByRole('listitem').filter({ hasText: `${named('eve')}: Spam` })
  await card.getByText('Buy my **seeds**').waitFor()
  await card.getByRole('button', { name: 'Delete message' }).click()
  await confirmDialog(moderator.page, 'Delete', false)
  const offer = moderator.page.getByRole('alertdialog', { name: 'Resolve the report?' })
  await offer.getByText(named('ben')).waitFor()
  assert.deepEqual(await findViolations(moderator.page), [])
  await offer.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Buy my').waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Delete message' }).waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Resolve' }).press('Enter')
  await moderator.page.getByText('No reports').waitFor()
  await moderator.page.getByLabel('State').selectOption('Resolved')
  await card.getByText(`Closed by ${named('mo')}`).waitFor()
  await card.getByRole('button', { name: 'Open again' }).click()
  await moderator.page.getByText('No reports').waitFor()
  await moderator.page.getByLabel('State').selectOption('Open')
  await card.getByRole('button', { name: /Ban from server/ }).click()
  await moderator.page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
  await waitForValue(async () => (await mo.client.call('listBans', { id: server.id })).length, 1)
  await confirmDialog(moderator.page, 'Resolve')
  await moderator.page.getByText('No reports').waitFor()
  assert.deepEqual([...moderator.problems, ...reporter.problems], [])
})

test('a member is reported from the profile, and who sees no reports has no section', async t => {
  const service = await startService(t)
  const { ann, eve, server, general } = await setUp(service)
  const { page, problems } = await openAs(t, service, eve, `/channels/${server.id}/${general.id}`)
  await page.getByRole('article').getByRole('button', { name: 'ben', exact: true }).click()
  await page.getByRole('dialog', { name: 'Profile of ben' }).getByRole('button', { name: 'Report…' }).click()
  const dialog = page.getByRole('dialog', { name: `Report ${named('ben')}` })
  await dialog.getByLabel('Reason').fill('Insults')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const [report] = await ann.client.call('listReports', { id: server.id })
  assert.deepEqual([report?.reason, report?.messageId], ['Insults', null])
  assert.equal(await page.getByRole('link', { name: /open report/ }).count(), 0)
  await page.goto(`${service.url}/channels/${server.id}/settings/reports`)
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
  assert.deepEqual(problems, [])
})

test('the messages of a conversation are offered with names, cut between grapheme clusters', async t => {
  const service = await startService(t)
  const { ben, eve } = await setUp(service)
  const direct = await ben.client.call('openDirectMessage', { body: { recipientId: eve.id } })
  await say(ben, direct.id, `<@${eve.id}> ${'👨‍👩‍👧‍👦'.repeat(20)}`)
  const { page } = await openAs(t, service, eve, `/channels/@me/${direct.id}`)
  await page.getByRole('button', { name: 'Conversation with ben' }).first().click()
  await page.getByRole('menuitem', { name: 'Report…' }).click()
  const option = page.getByRole('dialog', { name: 'Report message' }).getByRole('option')
  const text = `@${named('eve')} ${'👨‍👩‍👧‍👦'.repeat(9)}`
  await waitForValue(async () => (await option.textContent())?.replace(/^.*?: /, ''), text)
})

for (const [locale, texts] of [
  ['en', { state: 'State', show: 'Show message', reason: 'Reason', open: 'Report…' }],
  ['ru', { state: 'Состояние', show: 'Показать сообщение', reason: 'Причина', open: 'Пожаловаться…' }],
] as const) {
  for (const width of [390, 1280]) {
    test(`axe finds nothing on the reports, and they fit into ${width} px, light and dark (${locale})`, async t => {
      const service = await startService(t)
      const { ann, ben, eve, server, general, message } = await setUp(service)
      const operator = await createOperator(service)
      const body = { reason: 'Posts the same advertisement in every channel, several times a day' }
      await eve.client.call('reportMessage', { id: general.id, messageId: message.id, body })
      const direct = await ben.client.call('openDirectMessage', { body: { recipientId: eve.id } })
      const secret = await say(ben, direct.id, 'Give me money')
      await say(ben, direct.id, 'Not reported')
      const { id } = await eve.client.call('reportMessage', { id: direct.id, messageId: secret.id, body })
      const options = { viewport: { width, height: 800 }, reducedMotion: 'reduce' } as const
      const check = async ({ page }: Awaited<ReturnType<typeof openAs>>) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await findViolations(page), [])
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
      }
      for (const { client } of [ann, operator, eve]) client.cookies.set('gatehouse_locale', locale)

      const queue = await openAs(t, service, ann, `/channels/${server.id}/settings/reports`, options)
      await queue.page.getByText('Buy my **seeds**').waitFor()
      await check(queue)

      const administration = await openAs(t, service, operator, '/administration/reports', options)
      const { page } = administration
      await page.getByRole('button', { name: texts.show }).waitFor()
      assert.equal(await page.getByText('Give me money').count(), 0)
      await page.getByRole('button', { name: texts.show }).press('Enter')
      await page.getByText('Give me money').waitFor()
      assert.equal(await page.getByText('Not reported').count(), 0)
      await check(administration)
      const acts = await service.db.all<{ action: string; targetId: string }>`
        SELECT action, target_id FROM audit_log WHERE server_id = ''`
      assert.deepEqual(acts, [{ action: 'REPORT_VIEW', targetId: id }])

      const conversation = await openAs(t, service, eve, `/channels/@me/${direct.id}`, options)
      await conversation.page.getByRole('article').first().focus()
      await conversation.page.getByRole('button', { name: texts.open }).first().press('Enter')
      await conversation.page.getByLabel(texts.reason).fill('x')
      await check(conversation)
      assert.deepEqual(
        [queue, administration, conversation].flatMap(({ problems }) => problems),
        [],
      )
    })
  }
}

test('a moderator goes to a reported message that is far above the newest one', async t => {
  const service = await startService(t)
  const { mo, ben, eve, server, general, message } = await setUp(service)
  await eve.client.call('reportMessage', {
    id: general.id,
    messageId: message.id,
    body: { reason: 'Spam' },
  })
  for (let n = 0; n < 250; n++) await say(ben, general.id, `Line ${n}`)
  const { page, problems } = await openAs(t, service, mo, `/channels/${server.id}/settings/reports`)
  await page.getByRole('link', { name: 'Go to the message' }).press('Enter')
  const reported = page.locator('.sought').getByText('Buy my')
  await reported.waitFor()
  const isInView = () =>
    reported.evaluate(node => {
      const { top, bottom } = node.getBoundingClientRect()
      return top >= 0 && bottom <= window.innerHeight
    })
  await waitForValue(isInView, true, 'whether the message is in view')
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  await page.getByText('Line 249').waitFor()
  assert.deepEqual(problems, [])
})
