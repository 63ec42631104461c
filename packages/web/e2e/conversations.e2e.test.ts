import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

for (const width of [390, 1280]) {
  test(`a conversation is muted and closed by its menu, on both devices of the user (${width} px)`, async t => {
    const service = await startService(t)
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server, general } = await createServer(ann, bob)
    const { id } = await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
    const say = (content: string) => bob.client.call('createMessage', { id, body: { content } })
    const options = { viewport: { width, height: 800 } }
    const { page, problems, connected } = await openAs(t, service, ann, '/channels/@me', options)
    const other = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
    await Promise.all([connected, other.connected])
    // A conversation without a message is in the list of its opener only.
    await page.getByText('No conversations yet').first().waitFor()
    await say('Hello')
    const list = page.getByRole('navigation', { name: 'Direct messages' })
    const item = list.getByRole('listitem').filter({ hasText: 'bob' })
    await item.locator('.count').waitFor()
    await other.page.locator('.rail .count').waitFor()
    assert.deepEqual(await findViolations(page), [])

    await item.getByRole('button', { name: 'Conversation with bob' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Mute' }).press('Enter')
    await item.getByText('Muted').waitFor({ state: 'attached' })
    await item.locator('.count').waitFor({ state: 'detached' })
    await other.page.locator('.rail .count').waitFor({ state: 'detached' })
    await say('Are you there?')
    assert.equal(await item.locator('.count').count(), 0)
    assert.deepEqual(await findViolations(page), [])

    await item.getByRole('button', { name: 'Conversation with bob' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Close conversation' }).press('Enter')
    await item.waitFor({ state: 'detached' })
    await other.page.goto(`${service.url}/channels/@me`)
    await other.page.getByText('No conversations yet').first().waitFor()
    await say('Hello again')
    await item.getByText('Muted').waitFor({ state: 'attached' })
    assert.equal(await item.locator('.count').count(), 0)

    // In a window that shows it, the list of conversations comes back.
    await item.getByRole('link').click()
    await page.getByText('Hello again').waitFor()
    await page.getByRole('banner').getByRole('button', { name: 'Conversation with bob' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Unmute' }).press('Enter')
    await page.getByRole('banner').getByRole('button', { name: 'Conversation with bob' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Close conversation' }).press('Enter')
    await page.waitForURL(/\/channels\/@me$/)
    assert.deepEqual(problems, [])
    assert.deepEqual(other.problems, [])
  })
}
