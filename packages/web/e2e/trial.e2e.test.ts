import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, openAs, waitForValue } from './testing.ts'

for (const [name, device] of [
  ['wide', { viewport: { width: 1280, height: 800 } }],
  ['narrow and dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
] as const) {
  test(`a response with a modal, a button or a menu is used as in a channel, ${name} (bots/trial)`, async t => {
    const service = await startService(t)
    const { owner, bot } = await createWorld(service)
    await bot.connect()
    const path = `/developers/${bot.applicationId}/try`
    const { page, problems, connected } = await openAs(t, service, owner, path, device)
    await connected
    const shots = process.env.SCREENSHOTS
    if (shots) mkdirSync(shots, { recursive: true })
    const shoot = (step: string) =>
      shots
        ? page.screenshot({ path: `${shots}/${name.split(' ')[0]}-${step}.png`, fullPage: true })
        : undefined
    await page.getByLabel('Command', { exact: true }).selectOption({ label: '/ping — Answers' })
    const run = page.getByRole('button', { name: 'Try it' })
    const result = page.getByRole('region', { name: 'Result' })
    const answers = result.getByRole('article')
    const response = page.getByLabel('Response (JSON)')

    await page.getByRole('button', { name: 'Modal', exact: true }).click()
    const valid = await response.inputValue()
    await response.fill(valid.replace('Your dice', 'x'.repeat(46)))
    await run.click()
    await page.getByText('title: At most 45 characters.').waitFor()
    await page.getByRole('button', { name: 'Modal', exact: true }).click()
    await confirmDialog(page, 'Discard changes')
    await run.click()
    const dialog = page.getByRole('dialog', { name: 'Your dice' })
    await dialog.getByLabel('Name').fill('Lucky')
    await shoot('modal')
    assert.deepEqual(await findViolations(page), [])
    assert.equal(bot.received.length, 0, 'the bot does not receive the command')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    const submitted = await bot.event(0)
    assert.ok(submitted.type === 'modal_submit')
    assert.deepEqual(
      submitted.data.components.map(({ value }) => value),
      ['Lucky', ''],
    )
    await bot.callback(submitted, { type: 'message', data: { content: 'They are **Lucky**' } })
    await dialog.waitFor({ state: 'detached' })
    await answers.getByText('They are Lucky').waitFor()
    await result.getByText('"name": "ping"').waitFor()
    await shoot('modal-answered')

    await page.getByRole('button', { name: 'Select menu', exact: true }).click()
    await run.click()
    await answers.getByText('Which dice?').waitFor()
    assert.equal(await answers.count(), 1, 'only the responses since this trial')
    await answers.getByRole('button', { name: 'Select a die' }).click()
    await page.getByRole('option', { name: 'Twenty sides' }).click()
    const selected = await bot.event(1)
    assert.deepEqual(selected.type === 'component' && 'values' in selected.data && selected.data.values, [
      '20',
    ])
    await bot.callback(selected, { type: 'update', data: { content: 'Twenty it is' } })
    await answers.getByText('Twenty it is').waitFor()
    assert.equal(await answers.count(), 1, 'the message was updated')

    await page.getByRole('button', { name: 'Buttons', exact: true }).click()
    await run.click()
    await answers.getByRole('button', { name: 'Roll again' }).click()
    const data = { content: 'A six', ephemeral: true }
    await bot.callback(await bot.event(2), { type: 'message', data })
    await answers.getByText('A six').waitFor()
    assert.equal(await answers.count(), 2)
    await shoot('button-answered')
    const log = () => owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    const readLog = async () =>
      (await log()).body.map((entry: Record<string, string>) => [entry.type, entry.delivery, entry.response])
    await waitForValue(readLog, [
      ['command', 'console', null],
      ['command', 'console', 'modal'],
      ['modal_submit', 'gateway', 'message'],
      ['command', 'console', 'message'],
      ['component', 'gateway', 'update'],
      ['command', 'console', 'message'],
      ['component', 'gateway', 'message'],
    ])
    await page.getByRole('link', { name: 'Recent interactions' }).click()
    const entry = page.getByRole('listitem').filter({ hasText: 'dice' })
    await entry.first().getByText('Responded').waitFor()
    assert.deepEqual(problems, [])
  })
}

test('the bot suggests values of an option of the command that is tried (bots/autocomplete)', async t => {
  const service = await startService(t)
  const { owner, bot, channelId } = await createWorld(service)
  const options = [
    { type: 'string', name: 'song', description: 'What', required: true, autocomplete: true },
    { type: 'string', name: 'artist', description: 'Who' },
  ]
  await putCommands(bot, [{ name: 'play', description: 'Plays', options }])
  const session = await bot.connect()
  const { page, problems } = await openAs(t, service, owner, `/developers/${bot.applicationId}/try`)
  await page.getByRole('textbox', { name: 'artist' }).fill('Ann')
  const field = page.getByRole('combobox', { name: 'song' })
  await field.fill('mo')
  // A slow browser asks for the empty text first, when the field has the focus.
  let asked = await bot.event(0)
  for (let n = 1; JSON.stringify(asked.data).includes('"value":""'); n++) asked = await bot.event(n)
  assert.ok(asked.type === 'autocomplete')
  assert.deepEqual(
    [asked.channelId, asked.data.options],
    [
      channelId,
      [
        { name: 'song', type: 'string', value: 'mo', focused: true },
        { name: 'artist', type: 'string', value: 'Ann' },
      ],
    ],
  )
  const choices = [
    { name: 'Moon', value: 'track 1' },
    { name: 'Moss', value: 'track 2' },
  ]
  assert.equal((await bot.callback(asked, { type: 'autocomplete', data: { choices } })).status, 200)
  const list = page.getByRole('listbox', { name: 'song' }).getByRole('option')
  await list.nth(1).waitFor()
  assert.deepEqual(await list.allTextContents(), ['Moon', 'Moss'])
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'Moss')
  await list.first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('"value": "track 2"').waitFor()

  // Without the bot, the developer enters any value.
  const received = bot.received.length
  session.close()
  await field.fill('own')
  await page.getByRole('status').getByText('No suggestions.').waitFor()
  await field.press('Enter')
  await page.getByRole('region', { name: 'Result' }).getByText('"value": "own"').waitFor()
  assert.equal(bot.received.length, received)
  assert.deepEqual(problems, [])
})
