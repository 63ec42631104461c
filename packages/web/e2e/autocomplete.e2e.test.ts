import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openAs, waitForFocus } from './testing.ts'

const music = {
  name: 'music',
  description: 'Plays music',
  options: [
    {
      type: 'subcommand',
      name: 'play',
      description: 'Plays a song',
      options: [
        { type: 'string', name: 'artist', description: 'Who', required: true },
        { type: 'string', name: 'song', description: 'What', required: true, autocomplete: true },
        { type: 'integer', name: 'year', description: 'When', autocomplete: true },
      ],
    },
  ],
}

/** Fills in the whole text at once, so that the number of requests does not depend on the speed of typing. */
async function openForm(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message #general').fill(text)
  await page.getByRole('form', { name: '/music play' }).waitFor()
}

test('a bot suggests values while the user types, and the user may enter another (bots/autocomplete)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { bot, channelId, serverId } = world
  await putCommands(bot, [music])
  const session = await bot.connect()
  const { page, problems } = await openAs(t, service, world.ann, `/channels/${serverId}/${channelId}`)
  await page.getByLabel('Messages in general').waitFor()
  await waitForFocus(page, 'Message #general')
  const field = page.getByRole('combobox', { name: 'song' })
  const options = page.getByRole('listbox', { name: 'song' }).getByRole('option')
  const optionsOf = async (index: number) => {
    const { data } = await bot.event(index)
    assert.ok('options' in data)
    return data.options
  }
  const play = (...inner: object[]) => [{ name: 'play', type: 'subcommand', options: inner }]
  const artist = { name: 'artist', type: 'string', value: 'Ann' }

  const song = (value: string, more = {}) => play(artist, { name: 'song', type: 'string', value, ...more })
  const choices = [
    { name: 'Moss', value: 'track 1' },
    { name: 'Mosquito', nameLocalizations: { ru: 'Комар' }, value: 'track 2' },
  ]
  const suggest = async (index: number, ...choices: object[]) => {
    const reply = await bot.callback(await bot.event(index), { type: 'autocomplete', data: { choices } })
    assert.equal(reply.status, 200, reply.text)
  }

  await openForm(page, '/music play artist:Ann song:mo')
  assert.deepEqual(await optionsOf(0), song('mo', { focused: true }))
  await suggest(0, { name: 'Moon', value: 'track 0' }, ...choices)
  await options.nth(2).waitFor()
  await page.keyboard.type('s')
  assert.deepEqual(await optionsOf(1), song('mos', { focused: true }))
  await suggest(1, ...choices)
  await options.nth(2).waitFor({ state: 'detached' })
  assert.deepEqual(await options.allTextContents(), ['Moss', 'Mosquito'])
  assert.equal(await options.first().getAttribute('aria-selected'), 'true', 'Enter takes the first')
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('ArrowUp')
  assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'Mosquito')
  await options.first().waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await waitForFocus(page, 'Message #general')
  assert.deepEqual(await optionsOf(2), song('track 2'))

  // Escape closes the list, and the text is the value.
  await openForm(page, '/music play artist:Ann song:own')
  await suggest(3, ...choices)
  await options.first().waitFor()
  await page.keyboard.press('Escape')
  await options.first().waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await waitForFocus(page, 'Message #general')
  assert.deepEqual(await optionsOf(4), song('own'))

  // Without the bot, the user can still type.
  session.close()
  await openForm(page, '/music play artist:Ann song:x')
  await page.getByRole('status').getByText('No suggestions.').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'false')
  await page.keyboard.type('yz')
  assert.equal(await field.inputValue(), 'xyz')
  assert.deepEqual(problems, [])
})
