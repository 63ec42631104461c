import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld, type World } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

const options = ['Green', 'Black', 'White'].map(label => ({
  label,
  value: label,
  description: `${label} tea`,
}))
const menus = [
  { type: 'string_select', customId: 'teas', placeholder: 'Teas', minValues: 2, maxValues: 2, options },
  { type: 'string_select', customId: 'tea', placeholder: 'One tea', options },
  { type: 'user_select', customId: 'who', placeholder: 'A member' },
]
const components = [
  ...menus.map(menu => ({ type: 'row', components: [menu] })),
  { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Report', customId: 'report' }] },
]
const modal = {
  customId: 'report',
  title: 'Report a message',
  components: [
    {
      ...{ type: 'text_input', customId: 'why', style: 'short', label: 'Reason', minLength: 3 },
      description: 'Only moderators see it.',
    },
    { type: 'text_input', customId: 'more', style: 'paragraph', label: 'Details', required: false },
  ].map(input => ({ type: 'row', components: [input] })),
}

const devices = [
  ['wide', { viewport: { width: 1280, height: 800 } }],
  ['narrow and dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
] as const

/** Opens a channel with a message of a bot that has `components`. */
async function openComponents(
  t: TestContext,
  [name, device]: (typeof devices)[number],
  toComponents: (world: World) => object[] | Promise<object[]> = () => components,
) {
  const service = await startService(t)
  const world = await createWorld(service)
  const { bot, owner, ann } = world
  await bot.connect()
  const posted = await bot.json('POST', `/api/channels/${world.channelId}/messages`, {
    content: 'Select',
    components: await toComponents(world),
  })
  assert.equal(posted.status, 201, posted.text)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const opened = await openAs(t, service, world.ann, path, device)
  await opened.connected
  const shots = process.env.SCREENSHOTS
  if (shots) mkdirSync(shots, { recursive: true })
  const shoot = (step: string) =>
    shots ? opened.page.screenshot({ path: `${shots}/${name.split(' ')[0]}-${step}.png` }) : undefined
  return { ...opened, service, bot, owner, ann, shoot }
}

/** Menus with default values, of which some are gone or hidden from ann. */
async function defaultMenus({ owner, serverId, channelId }: World) {
  const body = {
    name: 'secret',
    permissionOverwrites: [{ id: serverId, type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }],
  }
  const secret = await owner.client.json('POST', `/api/servers/${serverId}/channels`, body)
  assert.equal(secret.status, 201, secret.text)
  const gone = '199999999999999999'
  const menus = [
    {
      ...{ type: 'user_select', customId: 'who', placeholder: 'People', maxValues: 3 },
      defaultValues: [owner.id, gone].map(id => ({ type: 'user', id })),
    },
    {
      ...{ type: 'channel_select', customId: 'where', placeholder: 'Channels', maxValues: 2 },
      defaultValues: [channelId, secret.body.id].map(id => ({ type: 'channel', id })),
    },
    {
      ...{ type: 'mentionable_select', customId: 'whom', placeholder: 'Everybody' },
      defaultValues: [{ type: 'role', id: serverId }],
    },
    {
      ...{ type: 'channel_select', customId: 'hidden', placeholder: 'One channel' },
      defaultValues: [{ type: 'channel', id: secret.body.id }],
    },
  ]
  return menus.map(menu => ({ type: 'row', components: [menu] }))
}

for (const device of devices) {
  test(`default values are selected, without what is gone or hidden, ${device[0]} (bots/default-values)`, async t => {
    const opened = await openComponents(t, device, defaultMenus)
    const { page, problems, bot, owner, ann, shoot } = opened
    await page.getByRole('button', { name: 'Channels: #general', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Everybody: @everyone', exact: true }).waitFor()
    await page.getByRole('button', { name: 'One channel', exact: true }).waitFor()
    const people = page.getByRole('button', { name: 'People: owner', exact: true })
    await shoot('defaults')
    await people.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Selected: 1. Select 1 to 3.').waitFor()
    const options = page.getByRole('listbox', { name: 'People' }).getByRole('option')
    await options.filter({ hasText: 'ann' }).waitFor()
    const selected = await page.getByRole('option', { selected: true }).allInnerTexts()
    assert.deepEqual(
      selected.map(text => text.split('\n')[0]),
      ['owner'],
    )
    assert.deepEqual(await findViolations(page), [])
    await shoot('defaults-open')
    await page.getByRole('searchbox', { name: 'Search' }).fill('ann')
    await options.filter({ hasText: 'owner' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('Selected: 2. Select 1 to 3.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter')
    const event = await bot.event(0)
    assert.ok(event.type === 'component' && 'values' in event.data)
    assert.deepEqual(event.data.values.toSorted(), [ann.id, owner.id].toSorted())
    await bot.callback(event, { type: 'deferred_update' })
    await page.getByRole('button', { name: /^People: (owner, ann|ann, owner)$/ }).waitFor()
    assert.deepEqual(problems, [])
  })

  test(`select menus with the keyboard, ${device[0]}`, async t => {
    const { page, problems, service, bot, owner, shoot } = await openComponents(t, device)
    const teas = page.getByRole('button', { name: 'Teas' })
    await teas.focus()
    await page.keyboard.press('Enter')
    const listbox = page.getByRole('listbox', { name: 'Teas' })
    await listbox.waitFor()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    assert.equal(await send.isDisabled(), true, 'without the minimum of values')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByText('Selected: 2 of 2.').waitFor()
    await shoot('teas')
    const disabled = listbox.getByRole('option', { name: 'White' })
    assert.equal(await disabled.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const first = await bot.event(0)
    assert.deepEqual(first.type === 'component' && 'values' in first.data && first.data.values, [
      'Green',
      'Black',
    ])
    await bot.callback(first, { type: 'deferred_update' })
    await page.getByRole('button', { name: 'Teas: Green, Black' }).waitFor()

    await page.getByRole('button', { name: 'One tea' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('listbox', { name: 'One tea' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const second = await bot.event(1)
    assert.deepEqual(second.type === 'component' && 'values' in second.data && second.data.values, ['Black'])
    service.clock.advance(3000)
    await page.getByText(/did not respond in time/).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()

    await page.getByRole('button', { name: 'A member' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search' }).fill('own')
    await page.getByRole('option', { name: 'owner' }).waitFor()
    await shoot('member')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const third = await bot.event(2)
    assert.deepEqual(third.type === 'component' && 'values' in third.data && third.data.values, [owner.id])
    await bot.callback(third, { type: 'deferred_update' })
    assert.deepEqual(problems, [])
  })

  test(`a modal with the keyboard, ${device[0]}`, async t => {
    const { page, problems, service, bot, shoot } = await openComponents(t, device)
    await page.getByRole('button', { name: 'Report', exact: true }).press('Enter')
    const pressed = await bot.event(0)
    const opened = await bot.callback(pressed, { type: 'modal', data: modal })
    assert.equal(opened.status, 200, opened.text)
    const dialog = page.getByRole('dialog', { name: 'Report a message' })
    await dialog.waitFor()
    const reason = dialog.getByLabel('Reason')
    await waitForValue(() => reason.evaluate(input => input === document.activeElement), true)
    const described = dialog.getByRole('textbox', { name: 'Reason', description: 'Only moderators see it.' })
    await described.waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.type('no')
    await page.keyboard.press('Enter')
    await dialog.getByText('At least 3 characters.').waitFor()
    await dialog
      .getByRole('textbox', { description: 'Only moderators see it. At least 3 characters.' })
      .waitFor()
    await shoot('modal')
    await page.keyboard.type('ise')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Two')
    await page.keyboard.press('Enter')
    await page.keyboard.type('lines')
    assert.equal(bot.received.length, 1, 'events before the modal is submitted')
    await dialog.getByRole('button', { name: 'Submit' }).press('Enter')
    const submitted = await bot.event(1)
    assert.ok(submitted.type === 'modal_submit')
    assert.deepEqual(
      submitted.data.components.map(({ value }) => value),
      ['noise', 'Two\nlines'],
    )
    await dialog.getByText(/Waiting for/).waitFor()
    service.clock.advance(3000)
    await dialog.getByText(/did not respond in time/).waitFor()
    await dialog.getByRole('button', { name: 'Submit' }).press('Enter')
    const again = await bot.event(2)
    assert.deepEqual(again.type === 'modal_submit' && again.data, submitted.data)
    await bot.callback(again, { type: 'update', data: { content: 'Reported', components: [] } })
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Reported').waitFor()
    assert.deepEqual(problems, [])
  })
}
