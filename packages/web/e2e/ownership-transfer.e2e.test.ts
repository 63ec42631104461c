import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { addTotp, password as ownPassword, totpCode } from '@gatehouse/testkit/accounts'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, named, openAs, password, waitForValue } from './testing.ts'

test('an owner offers the server to a member, who accepts (community/ownership-transfer)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const channel = `/channels/${server.id}/${general.id}`
  const narrow = { viewport: { width: 390, height: 800 }, colorScheme: 'dark', locale: 'ru-RU' } as const
  const bobWindow = await openAs(t, service, bob, channel, narrow)
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/overview`)
  const choose = page.getByRole('button', { name: 'Choose a new owner' })

  // With the keyboard: bob is the only member who can be chosen.
  await choose.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'bob' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText(`Offer Server to ${named('bob')}?`).waitFor()
  await waitForValue(() => choose.evaluate(button => button === document.activeElement), true, 'the focus')
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('The password is wrong.').waitFor()
  const currentPassword = page.getByLabel('Current password')
  await currentPassword.fill(password)
  assert.deepEqual(await findViolations(page), [])
  await currentPassword.press('Enter')
  const withdraw = page.getByRole('button', { name: 'Withdraw offer' })
  await withdraw.waitFor()
  assert.deepEqual(await findViolations(page), [])

  const received = bobWindow.page.getByText(`${named('ann')} предлагает вам сервер Server.`)
  await received.waitFor()
  assert.deepEqual(await findViolations(bobWindow.page), [])
  await bobWindow.page.getByRole('button', { name: 'Принять сервер' }).click()
  await confirmDialog(bobWindow.page, 'Принять сервер')
  await received.waitFor({ state: 'detached' })

  // ann can no longer change the server.
  await page.getByRole('heading', { name: 'Transfer ownership' }).waitFor({ state: 'detached' })
  await bobWindow.page.goto(`${service.url}/channels/${server.id}/settings/overview`)
  await bobWindow.page.getByRole('button', { name: 'Выбрать нового владельца' }).waitFor()
  assert.deepEqual(await findViolations(bobWindow.page), [])
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('an owner with a second factor proves it, and the member declines (community/ownership-transfer)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann', ownPassword), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const { secret } = await addTotp(service, ann.client)
  service.clock.advance(10 * 60_000)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/overview`)
  await page.getByRole('button', { name: 'Choose a new owner' }).click()
  await page.getByRole('option', { name: 'bob' }).click()
  await page.getByLabel('Current password').fill(ownPassword)
  await page.getByRole('button', { name: 'Offer server' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(await totpCode(service, secret))
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Withdraw offer' }).waitFor()

  const bobWindow = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await bobWindow.page.getByRole('button', { name: 'Decline' }).click()
  await confirmDialog(bobWindow.page, 'Decline')
  await page.getByRole('button', { name: 'Choose a new owner' }).waitFor()
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})

test('the new owner decides which applications stay bound, and ends one later (sign-in/binding-decision)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  for (const name of ['Wiki', 'Forum']) {
    const { id } = await createApplication(ann.client, { name, type: 'confidential' })
    await ann.client.request('PATCH', `/api/applications/${id}`, {
      server: { id: server.id, membersOnly: true },
    })
  }
  await ann.client.call('offerOwnership', {
    id: server.id,
    body: { userId: bob.id, currentPassword: password },
  })
  const { page, problems } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await page.getByRole('button', { name: 'Accept server' }).click()
  await page.getByRole('checkbox', { name: /^Forum @ann/ }).uncheck()
  assert.deepEqual(await findViolations(page), [])
  await confirmDialog(page, 'Accept server')

  await page.goto(`${service.url}/channels/${server.id}/settings/overview`)
  const end = page.getByRole('button', { name: 'End binding: Wiki' })
  await end.waitFor()
  assert.equal(await page.getByText('Forum').count(), 0)
  assert.deepEqual(await findViolations(page), [])
  await end.click()
  await confirmDialog(page, 'End binding')
  await end.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('the offer of a server that is deleted disappears (community/ownership-transfer)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  await ann.client.call('offerOwnership', {
    id: server.id,
    body: { userId: bob.id, currentPassword: password },
  })
  const { page, connected, problems } = await openAs(t, service, bob, '/channels/@me')
  await connected
  const accept = page.getByRole('button', { name: 'Accept server' })
  await accept.waitFor()
  await ann.client.call('deleteServer', { id: server.id })
  await accept.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})
