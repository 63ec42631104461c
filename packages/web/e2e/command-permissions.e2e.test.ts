import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { addMembers, addTarget, named, openAs } from './testing.ts'

const ban = {
  name: 'ban',
  description: 'Bans a member',
  defaultMemberPermissions: formatPermissions(Permission.BAN_MEMBERS),
}

test('allows a command for a member and denies it in a channel (bots/command-overrides)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { owner, ann, serverId, channelId, bot } = world
  await putCommands(bot, [ban, { name: 'close', description: 'Closes', defaultMemberPermissions: '0' }])
  const member = await openAs(t, service, ann, `/channels/${serverId}/${channelId}`)
  await member.connected
  const composer = member.page.getByLabel('Message #general')
  await composer.fill('/')
  const offer = member.page.getByRole('option', { name: /ban/ })
  assert.equal(await offer.count(), 0)

  const { page, problems } = await openAs(t, service, owner, `/channels/${serverId}/settings/bots`)
  await page.getByRole('button', { name: 'Commands: App of dice_bot' }).press('Enter')
  const rows = page.getByRole('list', { name: 'Commands' }).getByRole('listitem')
  await rows.getByText('By default for members with: Ban members').waitFor()
  await rows.getByText('By default only for administrators').waitFor()
  await page.getByRole('button', { name: 'Edit: /ban' }).press('Enter')
  const form = page.getByRole('form').or(page.locator('form'))
  await addTarget(page, 'Role or member', 'ann')
  const ofAnn = form.getByRole('group', { name: named('ann'), exact: true })
  assert.equal(await ofAnn.getByLabel('Allow').isChecked(), true)
  assert.deepEqual(await findViolations(page), [])
  await form.getByRole('button', { name: 'Save' }).click()
  await rows.getByText('1 allowed, 0 denied').waitFor()
  await offer.waitFor()

  await form.getByRole('group', { name: 'All channels' }).getByLabel('Deny').focus()
  await page.keyboard.press('Space')
  await form.getByRole('button', { name: 'Save' }).click()
  await rows.getByText('1 allowed, 1 denied').waitFor()
  await offer.waitFor({ state: 'detached' })

  await addTarget(page, 'Channel', '#general')
  await form.getByRole('button', { name: 'Save' }).click()
  await offer.waitFor()
  await ofAnn.getByLabel('No override').check()
  await form.getByRole('button', { name: 'Save' }).click()
  await rows.getByText('1 allowed, 1 denied').waitFor()
  await offer.waitFor({ state: 'detached' })
  const [listed] = (await owner.client.get(`/api/servers/${serverId}/commands/permissions`)).body
  assert.deepEqual(listed.overrides, [
    { type: 'channel', id: serverId, allow: false },
    { type: 'channel', id: channelId, allow: true },
  ])
  // An override whose channel is deleted disappears.
  await owner.client.request('DELETE', `/api/channels/${channelId}`)
  await rows.getByText('0 allowed, 1 denied').waitFor()
  assert.deepEqual([...problems, ...member.problems], [])
})

test('permissions can be set for every member of a large server', async t => {
  const service = await startService(t)
  const { owner, serverId, channelId, bot } = await createWorld(service)
  await putCommands(bot, [ban])
  const path = `/channels/${serverId}`
  const opened = await openAs(t, service, owner, `${path}/settings/bots`, {}, addMembers)
  const { page, problems } = opened
  await page.getByRole('button', { name: 'Commands: App of dice_bot' }).press('Enter')
  const edit = page.getByRole('button', { name: 'Edit: /ban' })
  await edit.press('Enter')
  const form = page.locator('form')
  const add = page.getByRole('button', { name: 'Add: Role or member' })
  const search = page.getByRole('searchbox')
  const found = page.getByRole('option', { name: 'ann' })
  const load = page.getByRole('button', { name: 'Load more members' })
  await add.press('Enter')
  await page.getByText('Members loaded: 1,001').waitFor()
  await search.fill('member14')
  await page
    .getByRole('option', { name: /^member14/ })
    .first()
    .waitFor()
  await search.fill('ann')
  await page.getByText('No matches').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await load.press('Enter')
  await found.click()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 allowed, 0 denied').waitFor()

  // The name of a member with an override is shown, although the member is not on the first page.
  await page.reload()
  await page.getByRole('button', { name: 'Commands: App of dice_bot' }).press('Enter')
  await edit.press('Enter')
  await form.getByRole('group', { name: named('ann'), exact: true }).waitFor()
  await page.goto(`${service.url}${path}/${channelId}/settings/permissions`)
  await add.press('Enter')
  await load.press('Enter')
  await search.fill('ann')
  await found.click()
  await page.getByRole('button', { name: `Close: ${named('ann')}` }).waitFor()
  assert.deepEqual(problems, [])
})

test('the console shows the default permissions of commands (bots/default-permissions)', async t => {
  const service = await startService(t)
  const { owner, bot } = await createWorld(service)
  await putCommands(bot, [ban, { name: 'ping', description: 'Answers' }])
  const path = `/developers/${bot.applicationId}/commands`
  const { page, problems } = await openAs(t, service, owner, path)
  await page.getByText('By default for members with: Ban members').waitFor()
  await page.getByText('By default for every member who may use commands').waitFor()
  assert.deepEqual(problems, [])
})
