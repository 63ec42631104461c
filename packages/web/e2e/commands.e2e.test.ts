import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { addBot } from '@gatehouse/testkit/applications'
import { createBot, createWorld, putCommands, type World } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { Page } from 'playwright-core'
import { openAs, waitForFocus, waitForValue } from './testing.ts'

const diceCommands = [
  {
    name: 'roll',
    description: 'Rolls dice',
    options: [
      { type: 'integer', name: 'sides', description: 'How many', required: true, min: 2, max: 100 },
      { type: 'integer', name: 'count', description: 'How often' },
      { type: 'string', name: 'note', description: 'Why' },
    ],
  },
  {
    name: 'greet',
    description: 'Greets somebody',
    options: [
      { type: 'user', name: 'who', description: 'Whom', required: true },
      { type: 'channel', name: 'where', description: 'Where' },
      { type: 'role', name: 'as', description: 'As what' },
      { type: 'boolean', name: 'loud', description: 'Loudly' },
      { type: 'number', name: 'times', description: 'How often' },
      {
        type: 'string',
        name: 'style',
        description: 'How',
        choices: [
          { name: 'Very kind', value: 'kind' },
          { name: 'Short', value: 'short' },
        ],
      },
      { type: 'string', name: 'words', description: 'What' },
    ],
  },
  { name: 'ping', description: 'Answers' },
]

interface OpenOptions {
  prepare?: (page: Page) => Promise<void>
  /** Runs before the page is opened. */
  setUp?: (world: World) => Promise<void>
}

async function open(t: TestContext, { prepare, setUp }: OpenOptions = {}) {
  const service = await startService(t)
  const world = await createWorld(service)
  world.commands = await putCommands(world.bot, diceCommands)
  await world.bot.connect()
  await setUp?.(world)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems } = await openAs(t, service, world.ann, path, {}, prepare)
  const composer = page.getByLabel('Message #general')
  await waitForFocus(page, 'Message #general')
  await page.getByLabel('Messages in general').waitFor()
  return { service, world, page, problems, composer, form: page.getByRole('form') }
}

const noticeIn = (page: Page) => page.locator('.composer-notice')

async function listMessages({ ann, channelId }: World): Promise<string[]> {
  const { body } = await ann.client.get(`/api/channels/${channelId}/messages`)
  return body.map(({ content }: { content: string }) => content).reverse()
}

/** Waits until the bot has received `count` interactions and returns the options of the last one. */
async function waitForOptions({ bot }: World, count = 1): Promise<Record<string, unknown>> {
  await waitUntil(() => bot.received.length >= count)
  assert.equal(bot.received.length, count)
  const data = bot.received.at(-1)?.data as { options?: { name: string; value: unknown }[] }
  return Object.fromEntries((data.options ?? []).map(({ name, value }) => [name, value]))
}

test('sends a command that is typed in one line with its options and posts no message', async t => {
  const { world, page, problems } = await open(t)
  for (const [typed, options] of [
    ['/roll 20 2', { sides: 20, count: 2 }],
    ['/roll sides:20', { sides: 20 }],
    ['/roll count:3 sides:6', { sides: 6, count: 3 }],
    ['/roll 6 1 for luck and fun', { sides: 6, count: 1, note: 'for luck and fun' }],
    ['/roll 8 note:because I can', { sides: 8, note: 'because I can' }],
  ] as const) {
    const before = world.bot.received.length
    await page.keyboard.type(typed)
    await page.getByRole('form', { name: '/roll' }).waitFor()
    await page.keyboard.press('Enter')
    await waitForFocus(page, 'Message #general')
    assert.deepEqual(await waitForOptions(world, before + 1), options, typed)
  }
  assert.deepEqual(await listMessages(world), [])
  assert.deepEqual(problems, [])
})

test('keeps each character that is typed while the form of the command opens', async t => {
  const { world, page, problems } = await open(t, {
    // React schedules its work with a MessageChannel. With the delay, the keys arrive before it.
    async prepare(page) {
      await page.addInitScript(() => {
        const { postMessage } = MessagePort.prototype
        MessagePort.prototype.postMessage = function delayed(message: unknown) {
          setTimeout(() => postMessage.call(this, message), 50)
        }
      })
    },
  })
  await page.keyboard.type('/roll sides:20 count:2')
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await page.keyboard.press('Enter')
  await waitForFocus(page, 'Message #general')
  assert.deepEqual(await waitForOptions(world), { sides: 20, count: 2 })
  assert.deepEqual(await listMessages(world), [])
  assert.deepEqual(problems, [])
})

test('fills the form with user, channel, role, choice and boolean options of a pasted command', async t => {
  let roleId = ''
  const { world, page, composer, problems } = await open(t, {
    async setUp({ owner, serverId }) {
      const body = { name: 'Big Pilots', permissions: '0' }
      roleId = (await owner.client.json('POST', `/api/servers/${serverId}/roles`, body)).body.id
    },
  })
  await composer.fill('/greet')
  await page.getByRole('option', { name: /greet/ }).waitFor()
  await composer.fill(
    '/greet @owner where:#general as:"@Big Pilots" loud:yes times:1.5 style:Very kind words:"a: \\"b\\" c"',
  )
  const form = page.getByRole('form', { name: '/greet' })
  await form.waitFor()
  assert.equal(await form.getByLabel('who').inputValue(), 'owner')
  assert.equal(await form.getByLabel('style').inputValue(), 'Very kind')
  await page.keyboard.press('Enter')
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world), {
    who: world.owner.id,
    where: world.channelId,
    as: roleId,
    loud: true,
    times: 1.5,
    style: 'kind',
    words: 'a: "b" c',
  })
  assert.deepEqual(await listMessages(world), [])
  assert.deepEqual(problems, [])
})

test('shows an error at each invalid option and keeps the text', async t => {
  const { world, page, composer } = await open(t)
  await composer.fill('/roll sides:5000 count:two note:why')
  const form = page.getByRole('form', { name: '/roll' })
  await form.getByText('At most 100.').waitFor()
  await form.getByText('This must be a number.').waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await form.getByLabel('sides').inputValue(), '5000')
  assert.equal(world.bot.received.length, 0)

  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await composer.waitFor()
  assert.equal((await composer.inputValue()).trim(), '/roll sides:5000 count:two note:why')
  await page.reload()
  await form.getByText('At most 100.').waitFor()
  await form.getByLabel('sides').fill('50')
  await form.getByLabel('count').fill('2')
  await page.keyboard.press('Enter')
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world), { sides: 50, count: 2, note: 'why' })

  await composer.fill('/ping hello there')
  await page.getByText('“hello there” does not belong to any option.').waitFor()
  await page.keyboard.press('Enter')
  assert.equal(world.bot.received.length, 1)
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByRole('button', { name: 'Use command' }).click()
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world, 2), {})
  assert.deepEqual(await listMessages(world), [])
})

test('does not post an unknown command, keeps the text and suggests similar commands', async t => {
  const { world, page, composer, problems } = await open(t)
  await composer.fill('/gret @owner words:hello')
  await page.keyboard.press('Enter')
  const notice = noticeIn(page)
  await notice.getByText('There is no command /gret. Nothing was sent.').waitFor()
  assert.equal(await notice.getAttribute('role'), 'alert')
  assert.equal(await composer.getAttribute('aria-describedby'), await notice.getAttribute('id'))
  assert.equal(await composer.inputValue(), '/gret @owner words:hello')
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Enter')
  assert.deepEqual(await listMessages(world), [])
  await notice.getByRole('button', { name: '/greet' }).click()
  await page.getByRole('form', { name: '/greet' }).waitFor()
  await page.keyboard.press('Enter')
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world), { who: world.owner.id, words: 'hello' })

  for (const text of ['/etc/passwd', '/', '/home is where the heart is', '/gone\nsecond line\nthird']) {
    const before = await listMessages(world)
    await composer.fill(text)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await notice.waitFor()
    assert.equal(await composer.inputValue(), text)
    assert.deepEqual(await listMessages(world), before)
    await notice.getByRole('button', { name: 'Send as message' }).click()
    await waitForValue(() => listMessages(world), [...before, text])
    assert.equal(await composer.inputValue(), '')
    await page.locator('.messages .sending').waitFor({ state: 'detached' })
  }
  assert.deepEqual(problems, [])
})

test('posts text that starts with two slashes with one slash and shows a hint before', async t => {
  const { world, page, composer } = await open(t)
  await composer.fill('//roll 20')
  await page.getByText('This is sent as a message that starts with one slash.').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.messages .body').getByText('/roll 20', { exact: true }).waitFor()
  await page.locator('.messages .sending').waitFor({ state: 'detached' })
  assert.deepEqual(await listMessages(world), ['/roll 20'])
})

test('restores the text of a cancelled form and offers to post it or to use the command', async t => {
  const { world, page, composer } = await open(t)
  await page.keyboard.type('/roll ')
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('is a fine command')
  assert.equal(await composer.inputValue(), '/roll is a fine command')
  await page.keyboard.press('Enter')
  const notice = noticeIn(page)
  await notice.getByText('/roll is a command. Nothing was sent.').waitFor()
  await notice.getByRole('button', { name: 'Use /roll' }).waitFor()
  await notice.getByRole('button', { name: 'Send as message' }).click()
  await page.locator('.messages .body').getByText('/roll is a fine command').waitFor()
  await composer.fill('/roll 6')
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await page.keyboard.press('Enter')
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world), { sides: 6 })
})

test('the late response to a command does not close the form of another command', async t => {
  const { world, page, composer, form } = await open(t)
  const response = Promise.withResolvers<void>()
  // The service does not get the request, so that no event changes the notice before the response.
  await page.route('**/api/interactions', async route => {
    await response.promise
    await route.fulfill({ status: 202, json: { id: '1', state: 'pending' } })
  })
  await composer.fill('/roll 20')
  await form.getByRole('textbox', { name: 'sides' }).press('Enter')
  await page.getByText(/^Sending to/).waitFor()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await composer.fill('/greet words:"Good morning"')
  const words = page.getByRole('form', { name: '/greet' }).getByRole('textbox', { name: 'words' })
  await words.waitFor()
  response.resolve()
  await page.getByText(/^Waiting for/).waitFor()
  assert.equal(await words.inputValue(), 'Good morning')
  const draft = await page.evaluate(id => localStorage.getItem(`draft:${id}`), world.channelId)
  assert.match(draft ?? '', /Good morning/)
})

test('lets the user choose between commands of the same name of two bots', async t => {
  const { service, world, page, composer } = await open(t)
  const other = await createBot(service, world.owner, 'other_bot')
  await addBot(world.owner.client, other.applicationId, world.serverId, 0n)
  await putCommands(other, diceCommands.slice(0, 1))
  await other.connect()
  await page.reload()
  await waitForFocus(page, 'Message #general')
  await page.keyboard.type('/roll 20 2')
  const choice = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
  await choice.nth(1).waitFor()
  assert.equal(await choice.count(), 2)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await noticeIn(page).getByRole('button', { name: 'Use /roll of App of dice_bot' }).waitFor()
  await noticeIn(page).getByRole('button', { name: 'Use /roll of App of other_bot' }).click()
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await page.keyboard.press('Enter')
  await composer.waitFor()
  await waitUntil(() => other.received.length === 1)
  assert.equal(world.bot.received.length, 0)
  assert.deepEqual(await listMessages(world), [])
})

test('does not post a command while the commands load or after they failed to load', async t => {
  const commandsReleased = Promise.withResolvers<void>()
  let fails = false
  const { world, page, composer } = await open(t, {
    async prepare(page) {
      await page.route('**/api/channels/*/commands', async route => {
        await commandsReleased.promise
        await (fails
          ? route.fulfill({ status: 403, json: { code: 'missing_permission', message: 'x' } })
          : route.continue())
      })
    },
  })
  await composer.fill('/roll 20 2')
  await page.keyboard.press('Enter')
  await noticeIn(page).getByText('The commands are still loading. Nothing was sent.').waitFor()
  commandsReleased.resolve()
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await page.keyboard.press('Enter')
  await composer.waitFor()
  assert.deepEqual(await waitForOptions(world), { sides: 20, count: 2 })

  fails = true
  await page.reload()
  await composer.fill('/roll 20 2')
  await page.keyboard.press('Enter')
  await noticeIn(page).getByText('The commands could not be loaded. Nothing was sent.').waitFor()
  assert.equal(await composer.inputValue(), '/roll 20 2')
  fails = false
  await noticeIn(page).getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('form', { name: '/roll' }).waitFor()
  assert.deepEqual(await listMessages(world), [])
})

test('does not post text with a slash in a direct message without confirmation', async t => {
  const { service, world, page } = await open(t)
  const direct = await world.ann.client.json('POST', '/api/users/@me/channels', {
    recipientId: world.owner.id,
  })
  await page.goto(`${service.url}/channels/@me/${direct.body.id}`)
  const composer = page.getByLabel('Message owner')
  await composer.fill('/roll 20')
  await page.keyboard.press('Enter')
  await noticeIn(page).getByText('You cannot use commands here. Nothing was sent.').waitFor()
  const listDirect = () => listMessages({ ...world, channelId: direct.body.id })
  assert.deepEqual(await listDirect(), [])
  await noticeIn(page).getByRole('button', { name: 'Send as message' }).click()
  await page.locator('.messages .body').getByText('/roll 20').waitFor()
  await waitForValue(listDirect, ['/roll 20'])
})

test('does not save an edit that looks like a command without confirmation', async t => {
  const { world, page, composer } = await open(t)
  await composer.fill('Hello')
  await composer.press('Enter')
  await page.locator('.messages .body').getByText('Hello').waitFor()
  await page.locator('.messages .sending').waitFor({ state: 'detached' })
  await composer.press('ArrowUp')
  const editBox = page.getByRole('textbox', { name: 'Edit message' })
  await editBox.fill('/roll 20')
  await editBox.press('Enter')
  await page.getByText('A message cannot be changed to a command. Nothing was saved.').waitFor()
  assert.deepEqual(await listMessages(world), ['Hello'])
  await page.getByRole('button', { name: 'Save as text' }).click()
  await editBox.waitFor({ state: 'detached' })
  assert.deepEqual(await listMessages(world), ['/roll 20'])
  // The message already starts with a slash, so another edit needs no confirmation.
  await composer.press('ArrowUp')
  await editBox.fill('/roll 21')
  await editBox.press('Enter')
  await editBox.waitFor({ state: 'detached' })
  assert.deepEqual(await listMessages(world), ['/roll 21'])
})

test('a command whose response was lost runs once, although the user sends it again', async t => {
  let isLosing = true
  const { world, page, composer, form } = await open(t, {
    prepare: async page => {
      await page.route('**/api/interactions', async route => {
        if (!isLosing) return route.continue()
        await route.fetch()
        await route.abort()
      })
    },
  })
  await composer.fill('/roll 6 ')
  await form.getByLabel('sides').press('Enter')
  await form.getByRole('alert').waitFor()
  isLosing = false
  await form.getByLabel('sides').press('Enter')
  await form.waitFor({ state: 'detached' })
  await page.getByText('Waiting for App of dice_bot…').waitFor()
  assert.equal(world.bot.received.length, 1)
})

test('closing the form while the command is sent empties the composer; an error becomes a notice', async t => {
  const responses = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const { world, page, composer, form } = await open(t, {
    prepare: async page => {
      await page.route('**/api/interactions', async route => {
        const index = count++
        await responses[index]?.promise
        await (index === 0
          ? route.continue()
          : route.fulfill({ status: 403, json: { code: 'missing_permission', message: 'x' } }))
      })
    },
  })
  for (const [index, shown] of [
    'Waiting for App of dice_bot…',
    'You are not allowed to do this.',
  ].entries()) {
    await composer.fill('/roll 20')
    await form.getByRole('textbox', { name: 'sides' }).press('Enter')
    await page.getByText(/^Sending to/).waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await composer.waitFor()
    assert.equal(await composer.inputValue(), '')
    responses[index]?.resolve()
    await page.getByLabel('Messages in general').getByText(shown).waitFor()
    assert.equal(await composer.inputValue(), '')
    const draft = await page.evaluate(id => localStorage.getItem(`draft:${id}`), world.channelId)
    assert.equal(draft, null)
  }
  assert.deepEqual(await waitForOptions(world), { sides: 20 })
})

test('a text that is not sent names the subcommand in it, also by its name in the language of the client', async t => {
  const { world, page, composer } = await open(t, {
    setUp: async world => {
      const option = {
        type: 'subcommand',
        name: 'add',
        nameLocalizations: { 'en-GB': 'plus' },
        description: 'Adds',
      }
      const names = { name: 'role', nameLocalizations: { 'en-GB': 'rank' }, description: 'Roles' }
      await putCommands(world.bot, [{ ...names, options: [option] }])
    },
  })
  for (const typed of ['/role add', '/rank plus']) {
    await composer.fill(typed)
    await page.getByRole('option', { name: /rank plus/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await noticeIn(page).getByText('/rank plus is a command. Nothing was sent.').waitFor()
  }
  await noticeIn(page).getByRole('button', { name: 'Use /rank plus' }).click()
  await page.getByRole('form', { name: '/rank plus' }).waitFor()
  await page.keyboard.press('Enter')
  await waitUntil(() => world.bot.received.length === 1)
  assert.deepEqual(await listMessages(world), [])
})

test('only the primary button of the pointer selects a suggestion', async t => {
  const { page, composer, form } = await open(t)
  await composer.fill('/ro')
  const option = page.getByRole('option', { name: /roll/ })
  for (const button of ['right', 'middle'] as const) {
    await option.click({ button })
    assert.equal(await composer.inputValue(), '/ro')
  }
  await option.click()
  await form.waitFor()
})
