import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { addMembers, confirmDialog, named, openAs, waitForFocus, waitForValue } from './testing.ts'

const who = { type: 'user', name: 'who', description: 'Whom', required: true }
const devices = {
  wide: { viewport: { width: 1280, height: 800 } },
  'narrow and dark': { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
} as const

/** Opens a page as the owner of a server where ann, the bot and the owner are not among the first 1,000 members. */
async function open(
  t: TestContext,
  path: (world: Awaited<ReturnType<typeof createWorld>>) => string,
  name: keyof typeof devices,
) {
  const service = await startService(t)
  const world = await createWorld(service)
  const { bot, owner, ann } = world
  await putCommands(bot, [
    { name: 'greet', description: 'Greets', options: [who] },
    { type: 'message', name: 'Report message' },
    { type: 'user', name: 'Show profile' },
  ])
  await bot.connect()
  await ann.client.json('POST', `/api/channels/${world.channelId}/messages`, { content: 'I am new' })
  const menu = { type: 'user_select', customId: 'who', placeholder: 'A member' }
  const components = [{ type: 'row', components: [menu] }]
  await bot.json('POST', `/api/channels/${world.channelId}/messages`, { content: 'Whom?', components })
  const opened = await openAs(t, service, owner, path(world), devices[name], addMembers)
  await opened.connected
  const shots = process.env.SCREENSHOTS
  if (shots) mkdirSync(shots, { recursive: true })
  const shoot = async (step: string) => {
    if (shots) await opened.page.screenshot({ path: `${shots}/${name.split(' ')[0]}-${step}.png` })
  }
  return { world, shoot, ...opened }
}

for (const name of ['wide', 'narrow and dark'] as const) {
  test(`an option and a menu accept every member of a large server, ${name}`, async t => {
    const { world, page, problems, shoot } = await open(
      t,
      ({ serverId, channelId }) => `/channels/${serverId}/${channelId}`,
      name,
    )
    const { bot, ann } = world
    const composer = page.getByLabel('Message #general')
    const form = page.getByRole('form', { name: '/greet' })
    const field = form.getByRole('combobox', { name: 'who' })
    const sent = async (index: number) => {
      const { data } = await bot.event(index)
      return 'options' in data ? data.options : undefined
    }
    await composer.fill('/greet')
    await page.getByRole('option', { name: /greet/ }).waitFor()
    await composer.fill(`/greet who:<@${ann.id}>`)
    await waitForValue(() => field.inputValue(), 'ann')
    assert.equal(await form.getByText('Select one from the list.').count(), 0)
    await field.press('Enter')
    await waitForFocus(page, 'Message #general')
    const expected = [{ name: 'who', type: 'user', value: ann.id }]
    assert.deepEqual(await sent(0), expected)

    await page.keyboard.type('/greet ann')
    const load = page.getByRole('option', { name: 'Load more members' })
    await load.getByText('Members loaded: 1,001').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await shoot('option')
    await field.press('Enter')
    await form.getByRole('option', { name: 'ann' }).waitFor()
    assert.equal(await load.count(), 0)
    await field.press('Enter')
    await waitForValue(() => field.inputValue(), 'ann')
    // The draft names the member by the id.
    await page.reload()
    await waitForValue(() => field.inputValue(), 'ann')
    await field.press('Enter')
    await waitForFocus(page, 'Message #general')
    assert.deepEqual(await sent(1), expected)

    const menu = page.getByRole('button', { name: 'A member' })
    const search = page.getByRole('searchbox')
    const found = page.getByRole('option', { name: 'ann' })
    await menu.press('Enter')
    await search.fill(`<@${ann.id}>`)
    await found.waitFor()
    await search.fill('ann')
    await found.waitFor({ state: 'detached' })
    await shoot('menu')
    assert.deepEqual(await findViolations(page), [])
    const loadMembers = page.getByRole('button', { name: 'Load more members' })
    await loadMembers.press('Enter')
    await found.waitFor()
    assert.equal(await loadMembers.count(), 0)
    await found.click()
    const selected = await bot.event(2)
    assert.deepEqual(selected.type === 'component' && 'values' in selected.data && selected.data.values, [
      ann.id,
    ])
    await page.getByRole('button', { name: 'A member: ann' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test(`a command is tried for every member of a large server, ${name}`, async t => {
    const path = ({ bot }: { bot: { applicationId: string } }) => `/developers/${bot.applicationId}/try`
    const { world, page, problems, shoot } = await open(t, path, name)
    await page.getByLabel('Command', { exact: true }).selectOption({ label: 'Show profile — User command' })
    const target = page.getByLabel('User', { exact: true })
    await page.getByText('Members loaded: 1,001').waitFor()
    assert.equal(await target.getByRole('option', { name: named('ann') }).count(), 0)
    await shoot('try')
    await page.getByRole('button', { name: 'Load more members' }).press('Enter')
    await target.selectOption({ label: named('ann') })
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByRole('region', { name: 'Result' }).getByText(`"targetId": "${world.ann.id}"`).waitFor()
    assert.deepEqual(problems, [])
  })
}

test('the server settings find and remove every member of a large server', async t => {
  const path = ({ serverId }: { serverId: string }) => `/channels/${serverId}/settings/members`
  const { world, page, problems, shoot } = await open(t, path, 'narrow and dark')
  const { ann, owner, serverId } = world
  const role = { name: 'Pilots', permissions: '0' }
  const { body: pilots } = await owner.client.json('POST', `/api/servers/${serverId}/roles`, role)
  await page.getByText('Members loaded: 1,001').waitFor()
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await page.getByLabel('Find a member').fill('ann')
  await count('0 members')
  await shoot('members')
  assert.deepEqual(await findViolations(page), [])
  const loadMembers = page.getByRole('button', { name: 'Load more members' })
  await loadMembers.press('Enter')
  await count('1 member')
  assert.equal(await loadMembers.count(), 0)
  // Events change the members who were loaded later too.
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'ann' })
  await row.getByRole('button', { name: 'Edit roles' }).click()
  await row.getByRole('checkbox', { name: 'Pilots' }).click()
  await row.getByRole('checkbox', { name: 'Pilots', checked: true }).waitFor()
  const member = await owner.client.get(`/api/servers/${serverId}/members/${ann.id}`)
  assert.deepEqual(member.body.roles, [pilots.id])
  await row.getByRole('button', { name: `Remove: ${named('ann')}` }).click()
  await confirmDialog(page, 'Remove from server')
  await count('0 members')
  await page.getByRole('link', { name: 'Roles' }).click()
  await page.getByText('Pilots', { exact: true }).waitFor()
  assert.equal(await page.getByText(/^\d+ members?$/).count(), 0, 'not all members are known')
  assert.deepEqual(problems, [])
})

test('the commands of bots are in the menus of a message and of a member who is not loaded', async t => {
  const { world, page, problems, shoot } = await open(
    t,
    ({ serverId, channelId }) => `/channels/${serverId}/${channelId}`,
    'narrow and dark',
  )
  const { bot, ann } = world
  const message = page.locator('.message', { hasText: 'I am new' })
  await message.hover()
  await message.getByRole('button', { name: 'Apps' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Report message' }).press('Enter')
  assert.equal((await bot.event(0)).type, 'command')
  await message.locator('button.message-author').press('Enter')
  const apps = page.getByRole('dialog').getByRole('button', { name: 'Apps' })
  await apps.waitFor()
  await shoot('card')
  await apps.press('Enter')
  await page.getByRole('menuitem', { name: 'Show profile' }).press('Enter')
  const { data } = await bot.event(1)
  assert.equal('targetId' in data && data.targetId, ann.id)
  assert.deepEqual(problems, [])
})

test('a member who is not among the loaded ones has the permissions of their roles', async t => {
  const service = await startService(t)
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server, general } = await createServer(owner, ann)
  const rolesPath = `/api/servers/${server.id}/roles`
  const role = (await owner.client.json('POST', rolesPath, { name: 'Writers', permissions: '0' })).body
  await owner.client.json('PUT', `/api/servers/${server.id}/members/${ann.id}/roles/${role.id}`)
  const send = String(Permission.SEND_MESSAGES)
  for (const [id, allow, deny] of [
    [server.id, '0', send],
    [role.id, send, '0'],
  ]) {
    await owner.client.json('PUT', `/api/channels/${general.id}/overwrites/${id}`, {
      type: 'role',
      allow,
      deny,
    })
  }
  const content = `<@&${role.id}> come here`
  await owner.client.json('POST', `/api/channels/${general.id}/messages`, { content })
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, ann, path, devices.wide, addMembers)
  await page.getByLabel('Message #general').waitFor()
  await page.locator('.message.mentioned', { hasText: 'come here' }).waitFor()
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('People — 1001').waitFor()
  assert.equal(await members.getByText('ann', { exact: true }).count(), 1)
  assert.deepEqual(problems, [])
  // After READY the client requests the members again, which may not be complete.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
