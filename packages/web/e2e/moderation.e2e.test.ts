import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createRealClock } from '@gatehouse/testkit/clock'
import { createServer, register } from '@gatehouse/testkit/community'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, named, openAs, waitForValue } from './testing.ts'

/** The client gets the time from the Date header, which has the real time. */
const startWithRealTime = (t: Parameters<typeof startService>[0]) =>
  startService(t, { clock: createRealClock() })

test('times out a member, whose composer says until when, and ends it (community/timeouts)', async t => {
  const service = await startWithRealTime(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const channel = `/channels/${server.id}/${general.id}`
  const bobWindow = await openAs(t, service, bob, channel)
  const composer = bobWindow.page.getByLabel('Message #general')
  await composer.waitFor()
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/members`)
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'bob' }).first()
  await row.getByRole('button', { name: `Time out: ${named('bob')}` }).click()
  const dialog = page.getByRole('dialog', { name: `Time out ${named('bob')}` })
  await dialog.getByLabel('Duration').selectOption('1 day')
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Time out' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText(/^Timed out until/).waitFor()
  const notice = bobWindow.page.getByText(/^You are timed out on this server\. You can write again after/)
  await notice.waitFor()
  await composer.waitFor({ state: 'detached' })
  assert.deepEqual(await findViolations(bobWindow.page), [])
  const { timedOutUntil } = (await ann.client.get(`/api/servers/${server.id}/members/${bob.id}`)).body
  const hours = (Date.parse(timedOutUntil) - service.clock.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1, `${hours} hours`)

  await row.getByRole('button', { name: `Time out: ${named('bob')}` }).click()
  await dialog.getByRole('button', { name: 'End time-out' }).click()
  await composer.waitFor()
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('the composer opens when the time-out ends (community/timeouts)', async t => {
  const service = await startWithRealTime(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const timedOutUntil = new Date(Date.now() + 3_600_000).toISOString()
  await ann.client.request('PATCH', `/api/servers/${server.id}/members/${bob.id}`, { timedOutUntil })
  const channel = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, bob, channel, {}, page => page.clock.install())
  await page.getByText(/^You are timed out/).waitFor()
  await page.clock.fastForward(3_600_000)
  await page.getByLabel('Message #general').waitFor()
  assert.deepEqual(problems, [])
})

test('a command form keeps its entries during a time-out (community/timeouts)', async t => {
  const service = await startWithRealTime(t)
  const { bot, owner, ann, serverId, channelId } = await createWorld(service)
  const options = [{ type: 'string', name: 'text', description: 'What', required: true }]
  await putCommands(bot, [{ name: 'report', description: 'Reports', options }])
  const path = `/channels/${serverId}/${channelId}`
  const { page, problems, connected } = await openAs(t, service, ann, path)
  await connected
  const timeOut = (timedOutUntil: string | null) =>
    owner.client.json('PATCH', `/api/servers/${serverId}/members/${ann.id}`, { timedOutUntil })
  // Picked from the list, so that the form opens without a text.
  const composer = page.getByLabel('Message #general')
  await composer.fill('/report')
  await page.getByRole('option', { name: /report/ }).waitFor()
  await composer.press('Enter')
  const field = page.getByRole('form', { name: '/report' }).getByRole('textbox', { name: 'text' })
  await field.fill('Many words')
  await timeOut(new Date(Date.now() + 3_600_000).toISOString())
  await page.getByText(/^You are timed out/).waitFor()
  await timeOut(null)
  await field.waitFor()
  assert.equal(await field.inputValue(), 'Many words')
  const draft = await page.evaluate(id => localStorage.getItem(`draft:${id}`), channelId)
  assert.match(draft ?? '', /Many words/)
  assert.deepEqual(problems, [])
})

test('bans a member from their card, with a reason and their messages, and unbans them (community/bans)', async t => {
  const service = await startWithRealTime(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const messages = `/api/channels/${general.id}/messages`
  await bob.client.request('POST', messages, { content: 'Buy now' })
  const { code } = await ann.client.request<{ code: string }>('POST', `/api/servers/${server.id}/invites`, {})
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  const message = page.getByText('Buy now')
  await message.waitFor()
  await page.getByRole('button', { name: 'bob' }).first().click()
  await page.getByRole('button', { name: 'Ban from server' }).click()
  const dialog = page.getByRole('dialog', { name: `Ban ${named('bob')}` })
  await dialog.getByLabel('Reason').fill('Advertisement')
  await dialog.getByLabel('Delete messages').selectOption('Of the last 1 hour')
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await message.waitFor({ state: 'detached' })

  const bobWindow = await openAs(t, service, bob, `/invite/${code}`)
  await bobWindow.page.getByRole('button', { name: 'Accept invite' }).click()
  await bobWindow.page.getByText('You are banned from this server.').waitFor()
  assert.equal(await bobWindow.page.getByRole('button', { name: 'Accept invite' }).count(), 0)

  await page.goto(`${service.url}/channels/${server.id}/settings/bans`)
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Advertisement' })
  await row.getByText(`Banned by ${named('ann')} on`).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await row.getByRole('button', { name: `Unban: ${named('bob')}` }).click()
  await confirmDialog(page, 'Unban')
  await page.getByText('Nobody is banned from this server.').waitFor()
  await bobWindow.page.getByRole('button', { name: 'Try again' }).click()
  await bobWindow.page.getByRole('button', { name: 'Accept invite' }).click()
  await bobWindow.page.getByLabel('Message #general').waitFor()
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('the audit log shows what was done and why, filtered by person, kind and time (community/audit-log)', async t => {
  const service = await startWithRealTime(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const cem = await register(service, 'cem')
  const { server, general } = await createServer(ann, bob, cem)
  const path = `/api/servers/${server.id}`
  await ann.client.request('PATCH', `/api/channels/${general.id}`, { topic: 'Seeds' })
  await ann.client.request('POST', `${path}/channels`, { name: 'Garden', type: 'category' })
  const body = { name: 'Readers', permissions: String(Permission.VIEW_AUDIT_LOG) }
  const { id: roleId } = await ann.client.request<{ id: string }>('POST', `${path}/roles`, body)
  await ann.client.request('PUT', `${path}/members/${cem.id}/roles/${roleId}`)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/members`)
  await page.getByRole('button', { name: `Time out: ${named('bob')}` }).click()
  const dialog = page.getByRole('dialog', { name: `Time out ${named('bob')}` })
  await dialog.getByLabel('Reason').fill('Шум')
  await dialog.getByRole('button', { name: 'Time out' }).click()
  await dialog.waitFor({ state: 'detached' })

  const reader = await openAs(t, service, cem, `/channels/${server.id}/settings/audit-log`)
  const entries = reader.page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: reader.page.locator('time') })
  await entries.getByText(`${named('ann')} changed the time-out of @bob.`).waitFor()
  await entries.getByText('Reason: Шум').waitFor()
  await entries.getByText('Permissions: View the audit log').waitFor()
  await entries.getByText('Topic: Seeds').waitFor()
  await entries.getByText(`${named('ann')} created the category Garden.`).waitFor()
  assert.deepEqual(await findViolations(reader.page), [])

  await reader.page.getByLabel('Kind').selectOption('Role created')
  await entries.getByText(`${named('ann')} created the role Readers.`).waitFor()
  await waitForValue(() => entries.count(), 1)
  await reader.page.getByLabel('By', { exact: true }).selectOption(named('bob'))
  await reader.page.getByText('Nothing found').waitFor()
  await reader.page.getByLabel('By', { exact: true }).selectOption('Anyone')
  const today = new Date()
  const dayOf = (date: Date) => date.toLocaleDateString('sv')
  await reader.page.getByLabel('From').fill(dayOf(new Date(today.getTime() + 86_400_000)))
  await reader.page.getByText('Nothing found').waitFor()
  await reader.page.getByLabel('From').fill(dayOf(today))
  await waitForValue(() => entries.count(), 1)
  await reader.page.getByLabel('To').fill(dayOf(new Date(today.getTime() - 86_400_000)))
  await reader.page.getByText('Nothing found').waitFor()
  assert.deepEqual([...problems, ...reader.problems], [])
})
