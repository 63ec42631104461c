import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForFocus } from './testing.ts'

const inviteCommand = {
  name: 'invite',
  description: 'Invites somebody',
  descriptionLocalizations: { ru: 'Приглашает' },
  options: [
    {
      type: 'mentionable',
      name: 'whom',
      nameLocalizations: { ru: 'кого' },
      description: 'A member or a role',
      descriptionLocalizations: { ru: 'Участник или роль' },
      required: true,
    },
  ],
}

async function createMentionableWorld(t: TestContext) {
  const service = await startService(t)
  const world = await createWorld(service)
  const { owner, bot, serverId } = world
  const commands = await putCommands(bot, [inviteCommand])
  await bot.connect()
  const body = { name: 'Big Pilots', permissions: '0' }
  const role = (await owner.client.json('POST', `/api/servers/${serverId}/roles`, body)).body
  return { ...world, commands, role }
}

type MentionableWorld = Awaited<ReturnType<typeof createMentionableWorld>>

/** What the bot received with an index: the value, and the names of what it refers to. */
async function received({ bot }: MentionableWorld, index: number) {
  const { data } = await bot.event(index)
  assert.ok('resolved' in data && !('targetId' in data))
  const { users = {}, roles = {} } = data.resolved ?? {}
  const value = 'values' in data ? data.values[0] : 'options' in data && data.options[0]
  return {
    value: typeof value === 'object' && 'value' in value ? value.value : value,
    users: Object.values(users).map(({ username }) => username),
    roles: Object.values(roles).map(({ name }) => name),
  }
}

for (const [name, device, texts] of [
  ['wide', { viewport: { width: 1280, height: 800 } }, { composer: 'Message #general', field: 'whom' }],
  [
    'narrow, dark and Russian',
    { viewport: { width: 390, height: 800 }, colorScheme: 'dark', locale: 'ru-RU' },
    { composer: 'Написать в #general', field: 'кого' },
  ],
] as const) {
  test(`a command takes a member or a role, ${name} (bots/option-values)`, async t => {
    const world = await createMentionableWorld(t)
    const { service, ann, owner, role, serverId, channelId } = world
    const path = `/channels/${serverId}/${channelId}`
    const { page, problems } = await openAs(t, service, ann, path, device)
    await waitForFocus(page, texts.composer)
    const composer = page.getByLabel(texts.composer)
    const field = page.getByRole('combobox', { name: texts.field })

    await composer.fill('/invite')
    await page.getByRole('option', { name: /invite/ }).waitFor()
    await page.keyboard.press('Enter')
    await field.waitFor()
    await page.getByRole('option', { name: '@everyone' }).waitFor()
    await page.getByRole('option', { name: 'owner' }).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.type('big')
    await page.getByRole('option', { name: '@Big Pilots' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    assert.deepEqual(await received(world, 0), { value: role.id, users: [], roles: ['Big Pilots'] })

    await composer.fill('/invite')
    await page.getByRole('option', { name: /invite/ }).waitFor()
    await composer.fill('/invite @owner')
    await field.waitFor()
    assert.equal(await field.inputValue(), 'owner')
    await page.keyboard.press('Enter')
    assert.deepEqual(await received(world, 1), { value: owner.id, users: ['owner'], roles: [] })
    assert.deepEqual(problems, [])
  })
}

test('a select menu offers roles and members (bots/select-values)', async t => {
  const world = await createMentionableWorld(t)
  const { service, bot, ann, owner, role, serverId, channelId } = world
  const menu = { type: 'mentionable_select', customId: 'whom', placeholder: 'Whom' }
  const posted = await bot.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'Select',
    components: [{ type: 'row', components: [menu] }],
  })
  assert.equal(posted.status, 201, posted.text)
  const { page, problems } = await openAs(t, service, ann, `/channels/${serverId}/${channelId}`)
  const choose = async (option: string) => {
    await page.getByRole('button', { name: /^Whom/ }).click()
    await page.getByRole('option', { name: option }).click()
  }
  await choose('@Big Pilots')
  assert.deepEqual(await received(world, 0), { value: role.id, users: [], roles: ['Big Pilots'] })
  await bot.callback(await bot.event(0), { type: 'deferred_update' })
  await page.getByRole('button', { name: 'Whom: @Big Pilots' }).waitFor()
  await choose('owner')
  assert.deepEqual(await received(world, 1), { value: owner.id, users: ['owner'], roles: [] })
  assert.deepEqual(problems, [])
})

test('the developer console shows the type and tries the command (bots/trial)', async t => {
  const world = await createMentionableWorld(t)
  const { service, owner, bot, role } = world
  const console = `/developers/${bot.applicationId}`
  const { page, problems } = await openAs(t, service, owner, `${console}/commands`)
  await page.getByText('member or role · Required').waitFor()
  await page.goto(`${service.url}${console}/try`)
  await page.getByLabel('Command', { exact: true }).selectOption({ label: '/invite — Invites somebody' })
  await page.getByLabel('whom').fill('big')
  await page.getByRole('option', { name: '@Big Pilots' }).click()
  await page.getByLabel('Response (JSON)').fill('{ "content": "Invited" }')
  await page.getByRole('button', { name: 'Try it' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByText('Invited').waitFor()
  await result.getByText(`"value": "${role.id}"`).waitFor()
  await result.getByText('"name": "Big Pilots"').waitFor()
  assert.deepEqual(problems, [])
})
