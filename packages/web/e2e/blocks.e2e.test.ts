import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, named, openAs } from './testing.ts'

test('a block collapses messages in every window, closes the conversation, and ends (community/blocks)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const direct = await ann.client.call('openDirectMessage', { body: { recipientId: bob.id } })
  for (const content of ['Buy my seeds', 'Really cheap']) {
    await bob.client.call('createMessage', { id: general.id, body: { content } })
  }
  const { page, problems, connected } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  const other = await openAs(t, service, ann, `/channels/@me/${direct.id}`)
  await Promise.all([connected, other.connected])
  await page.getByText('Really cheap').waitFor()
  await other.page.getByLabel('Message bob').waitFor()
  await page.getByRole('article').getByRole('button', { name: 'bob', exact: true }).click()
  await page.getByRole('dialog', { name: 'Profile of bob' }).getByRole('button', { name: 'Block' }).click()
  await confirmDialog(page, 'Block')
  const hidden = page.getByText('Message of a user you blocked')
  await hidden.first().waitFor()
  assert.equal(await page.getByText('Really cheap').count(), 0)
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('article').getByRole('button', { name: 'Show' }).last().press('Enter')
  await page.getByText('Really cheap').waitFor()
  assert.equal(await hidden.count(), 1)

  await other.page.getByText('You blocked this user. Unblock them to write.').waitFor()
  assert.deepEqual(await findViolations(other.page), [])
  await other.page.getByRole('banner').getByRole('button', { name: 'Conversation with bob' }).press('Enter')
  await other.page.getByRole('menuitem', { name: 'Unblock' }).press('Enter')
  await confirmDialog(other.page, 'Unblock')
  await other.page.getByLabel('Message bob').waitFor()
  await page.getByText('Buy my seeds').waitFor()
  assert.deepEqual([...problems, ...other.problems], [])
})

test('settings say who may write first, and list the blocks (community/direct-message-acceptance)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  await ann.client.call('createBlock', { userId: bob.id })
  const { page, problems } = await openAs(t, service, ann, '/settings/privacy', {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  })
  const choice = page.getByLabel('Who may write to me first')
  await choice.selectOption('Nobody new')
  await page.getByText('@bob').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: `Unblock: ${named('bob')}` }).click()
  await confirmDialog(page, 'Unblock')
  await page.getByText('Nobody is blocked').waitFor()
  await page.reload()
  await page.getByText('Nobody is blocked').waitFor()
  assert.equal(await choice.inputValue(), 'nobody')
  assert.equal((await ann.client.call('getCurrentUser')).directMessages, 'nobody')
  assert.deepEqual(problems, [])
})

test('two members and two conversations with the same name show their usernames', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const [one, two] = [
    await register(service, 'greta', 'correct horse', { displayName: 'Greta' }),
    await register(service, 'greta_2', 'correct horse', { displayName: 'Greta' }),
  ]
  const { server, general } = await createServer(ann, one, two)
  for (const { id } of [one, two]) await ann.client.call('openDirectMessage', { body: { recipientId: id } })
  const { page } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByRole('button', { name: /Greta\s*@greta_2/ }).waitFor()
  assert.equal(await members.getByText('@ann').count(), 0)
  await page.goto(`${service.url}/channels/@me`)
  await page.getByRole('link', { name: /Greta\s*@greta_2/ }).click()
  await page.getByRole('banner').getByText('@greta_2').waitFor()
  assert.deepEqual(await findViolations(page), [])
})
