import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplication, createBotApplication } from '@gatehouse/testkit/applications'
import { register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { createWorld, putCommands, runCommand } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Locator, Page } from 'playwright-core'
import { confirmDialog, openAs, startSite, waitForValue } from './testing.ts'

test('creates an application, resets its secret, saves its redirect URIs and deletes it', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/developers')
  await page.getByText('No applications yet').waitFor()
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByLabel('Name').fill('Lighthouse')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/developers\/\d+\/sign-in$/)
  const secret = await page.getByLabel('Client secret').inputValue()
  assert.match(secret, /^gcs_/)
  await page.getByRole('button', { name: 'Reset secret' }).waitFor()
  await page.getByRole('link', { name: 'General', exact: true }).click()
  // The secret was not copied.
  await confirmDialog(page, 'Leave')
  await page.getByLabel('Description').fill('Shines')
  await page.getByRole('button', { name: 'Save changes' }).first().click()
  await page.getByText('Saved.').waitFor()
  await page.getByLabel('Icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: png })
  await page.locator('main img').waitFor()

  await page.getByRole('link', { name: 'Sign-in', exact: true }).click()
  await page.getByText('The secret was shown once, when it was created.').waitFor()
  assert.equal(await page.getByText(secret).count(), 0)
  await page.getByRole('button', { name: 'Reset secret' }).click()
  await confirmDialog(page, 'Reset secret')
  const next = await page.getByLabel('Client secret').inputValue()
  assert.match(next, /^gcs_/)
  assert.notEqual(next, secret)

  const save = page
    .locator('form')
    .filter({ has: page.getByRole('button', { name: 'Add a redirect URI' }) })
    .getByRole('button', { name: 'Save changes' })
  await page.getByRole('button', { name: 'Add a redirect URI' }).click()
  await page.getByLabel('Redirect URI 1', { exact: true }).fill('https://lighthouse.example/callback')
  await page.getByRole('button', { name: 'Add a redirect URI' }).click()
  const second = page.getByLabel('Redirect URI 2', { exact: true })
  await second.fill('javascript:alert(1)')
  await save.click()
  await page.getByText(/^The URI must start with https:\/\/, or with a scheme of your app/).waitFor()
  assert.equal(await second.getAttribute('aria-invalid'), 'true')
  await second.fill('https://пример.рф/cb')
  await save.click()
  await page.getByText('Saved.').last().waitFor()
  // (sign-in/redirect-uri-international)
  await waitForValue(() => second.inputValue(), 'https://xn--e1afmkfd.xn--p1ai/cb')
  assert.equal(await save.isEnabled(), false, 'nothing is left to save')
  await page.getByRole('button', { name: 'Remove: Redirect URI 2' }).click()
  await save.click()
  await page.getByText('Saved.').last().waitFor()
  const [application] = (await ann.client.get('/api/applications')).body
  assert.deepEqual(application.redirectUris, ['https://lighthouse.example/callback'])
  assert.equal(application.description, 'Shines')
  assert.match(application.icon, /^\/images\//)

  await page.getByRole('link', { name: 'General', exact: true }).click()
  await confirmDialog(page, 'Leave')
  await page.getByRole('button', { name: 'Delete application' }).click()
  await confirmDialog(page, 'Delete application')
  await page.getByText('No applications yet').waitFor()
  assert.deepEqual((await ann.client.get('/api/applications')).body, [])
  assert.deepEqual(problems, [])
})

test('creates a bot, resets its token, builds its install link and rejects a private endpoint', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client, { name: 'Dice' })
  const { page, problems } = await openAs(t, service, ann, `/developers/${id}/bot`)
  await page.getByLabel('Bot username').fill('dice_bot')
  await page.getByRole('button', { name: 'Create bot' }).click()
  const token = page.getByLabel('Bot token')
  const first = await token.inputValue()
  assert.match(first, /^gbt_/)
  const me = (text: string) => service.client().get('/api/users/@me', { authorization: `Bot ${text}` })
  assert.equal((await me(first)).status, 200)
  const discordForm = await page.getByLabel('The same token for Discord').inputValue()
  assert.match(discordForm, new RegExp(`^[A-Za-z0-9]+\\.AAAAAA\\.${first}$`))
  assert.equal((await me(discordForm)).status, 200)
  await page.getByRole('button', { name: 'Reset token' }).click()
  await confirmDialog(page, 'Reset token')
  const second = await token.inputValue()
  assert.notEqual(second, first)
  assert.equal((await me(first)).status, 401)
  assert.equal((await me(second)).status, 200)

  await page.getByLabel('Manage messages').check()
  const link = new URL(await page.getByLabel('Install link').inputValue())
  assert.equal(link.searchParams.get('scope'), 'bot applications.commands')
  assert.equal(BigInt(link.searchParams.get('permissions') ?? 0) & (1n << 13n), 1n << 13n)

  await page.getByRole('textbox', { name: 'Interactions endpoint URL' }).fill('https://127.0.0.1:1/')
  await saveIn(page, 'Interactions endpoint URL').click()
  const field = page.getByRole('textbox', { name: 'Interactions endpoint URL' })
  await page.locator('[aria-invalid="true"]').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await field.fill('')
  const format = page.getByLabel('Format of the requests')
  await format.selectOption('discord')
  await saveIn(page, 'Interactions endpoint URL').click()
  await page.locator('[aria-invalid="true"]').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Reset token' }).waitFor()
  assert.equal(await page.getByLabel('Bot token').count(), 0, 'the token is shown only once')
  assert.equal(await format.inputValue(), 'discord')
  assert.deepEqual(problems, [])
})

/** The button of the form that contains the field. */
function saveIn(page: Page, label: string): Locator {
  const form = page.locator('form').filter({ has: page.getByLabel(label) })
  return form.getByRole('button', { name: 'Save changes' })
}

test('a bot that was created in another window is shown instead of an error', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client, { name: 'Dice' })
  const { page, problems } = await openAs(t, service, ann, `/developers/${id}/bot`)
  const create = page.getByRole('button', { name: 'Create bot' })
  await page.getByLabel('Bot username').fill('ann')
  await create.click()
  await page.getByText('This username is taken.').waitFor()
  await page.getByLabel('Bot username').fill('dice_two')
  await ann.client.json('POST', `/api/applications/${id}/bot`, { username: 'dice_one' })
  await create.click()
  await page.getByText('dice_one', { exact: true }).waitFor()
  assert.equal(await create.count(), 0)
  assert.deepEqual(problems, [])
})

test('switches a privileged intent on and off (gateway/privileged-intents)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { applicationId } = await createBotApplication(ann.client)
  const { page, problems } = await openAs(t, service, ann, `/developers/${applicationId}/bot`)
  const readStored = async () =>
    (await ann.client.get(`/api/applications/${applicationId}`)).body.privilegedIntents
  const members = page.getByLabel('members: who joins')
  assert.equal(await members.isChecked(), false)
  await members.check()
  await saveIn(page, 'members: who joins').click()
  await waitForValue(readStored, ['members'])
  await page.reload()
  await page.getByLabel('messageContent:').check()
  assert.equal(await members.isChecked(), true)
  await members.uncheck()
  await saveIn(page, 'members: who joins').click()
  await waitForValue(readStored, ['messageContent'])
  assert.deepEqual(problems, [])
})

test('the log shows the event and the reason why the interaction failed', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { applicationId } = world.bot
  const { page, problems } = await openAs(
    t,
    service,
    world.owner,
    `/developers/${applicationId}/interactions`,
  )
  await page.getByText('No interactions yet.').waitFor()
  const interaction = await runCommand(world, 'ping')
  assert.equal(interaction.body.state, 'pending')
  service.clock.advance(3000)
  await page.reload()
  const entry = page.getByRole('listitem').filter({ hasText: '/ping' })
  await entry.getByText('Timed out').waitFor()
  await entry.getByText('The bot is not connected.').waitFor()
  await entry.getByText('Event', { exact: true }).click()
  await entry.getByText(`"applicationId": "${applicationId}"`).waitFor()
  assert.deepEqual(problems, [])
})

test('copies an interaction as curl without its token, and the developer sends a command again', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { owner, ann, bot } = world
  await bot.connect()
  const dice = { name: 'dice', description: 'Dice', type: 'subcommand' }
  const option = { name: 'note', description: 'Why', type: 'string' }
  const options = [{ ...dice, options: [option] }]
  world.commands = await putCommands(bot, [{ name: 'roll', description: 'Rolls', options }])
  const entered = { options: [{ name: 'dice', options: [{ name: 'note', value: "it's luck" }] }] }
  for (const user of [owner, ann]) assert.equal((await runCommand(world, 'roll', entered, user)).status, 202)
  const [event] = bot.received
  assert.ok(event)
  const path = `/developers/${bot.applicationId}/interactions`
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, problems } = await openAs(t, service, owner, path, { permissions })
  const copied = async (place: Locator) => {
    await place.getByRole('button', { name: 'Copy as curl' }).click()
    await place.getByRole('button', { name: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const again = page.getByRole('button', { name: 'Send again' })
  const ofAnn = page.getByRole('listitem').filter({ hasText: '@ann' })
  const command = await copied(ofAnn)
  assert.ok(
    command.startsWith('curl -X POST "$ENDPOINT" \\\n  -H "X-Signature-Ed25519: $SIGNATURE"'),
    command,
  )
  assert.ok(command.includes('"value":"it\'\\\'\'s luck"') && command.includes('"token":"$TOKEN"'), command)
  for (const { token } of bot.received) assert.ok(!command.includes(token))
  // Only the developer's own.
  assert.equal(await ofAnn.getByRole('button', { name: 'Send again' }).count(), 0)
  await again.click()
  const repeated = await bot.event(2)
  assert.deepEqual([repeated.data, repeated.user.id], [event.data, owner.id])
  await again.nth(1).waitFor()

  await page.getByRole('link', { name: 'Try it' }).click()
  await page.getByRole('button', { name: 'Try it' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  const token = /"token": "([^"]+)"/.exec(await result.locator('pre').innerText())?.[1]
  assert.ok(token !== undefined)
  const tried = await copied(result)
  assert.ok(tried.includes('"token":"$TOKEN"') && !tried.includes(token), tried)
  // Only now, what was tried reaches the bot.
  await page.getByRole('link', { name: 'Recent interactions' }).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: 'tried in the console' })
    .getByRole('button', { name: 'Send again' })
    .click()
  assert.notEqual((await bot.event(3)).token, token)

  const discord = { interactionsEndpointFormat: 'discord' }
  assert.equal(
    (await owner.client.json('PATCH', `/api/applications/${bot.applicationId}`, discord)).status,
    200,
  )
  await page.reload()
  await again.first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Copy as curl' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('shows why sign-ins failed (sign-in/failures)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client, {
    name: 'Wiki',
    type: 'confidential',
    redirectUris: ['https://wiki.example/callback'],
  })
  const { page, problems } = await openAs(t, service, ann, `/developers/${id}/sign-in-failures`)
  await page.getByText('No sign-in has failed in the last 7 days.').waitFor()
  const request = `/oauth2/authorize?client_id=${id}&redirect_uri=https://x.example/%3Cb%3E?code=1`
  for (let i = 0; i < 2; i++) assert.equal((await ann.client.get(request)).status, 400)
  await page.reload()
  const entry = page.getByRole('listitem').filter({ hasText: 'Authorization endpoint' })
  await entry.getByText('invalid_request').waitFor()
  await entry.getByText('https://x.example/<b>?…').waitFor()
  await entry.getByText('× 2').waitFor()
  assert.deepEqual(problems, [])
})

test('builds an authorization URL that signs the user in', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const site = await startSite(t, 'Back again')
  const redirectUris = [`${site}/callback`, `${site}/other`]
  const { id } = await createApplication(ann.client, { name: 'Lighthouse', redirectUris })
  const { page, problems } = await openAs(t, service, ann, `/developers/${id}/sign-in`)
  const urlField = page.getByLabel('Generated URL')
  const has = page.getByRole('heading', { name: 'Authorization URL' })
  const panel = page.locator('section').filter({ has })
  await panel.getByLabel('Email address').check()
  await page.getByLabel('Redirect URI', { exact: true }).selectOption(`${site}/other`)
  const query = new URL(await urlField.inputValue()).searchParams
  assert.deepEqual(
    [query.get('scope'), query.get('redirect_uri'), query.get('state')],
    ['openid identify email', `${site}/other`, 'STATE'],
  )
  await panel.getByLabel('Email address').uncheck()
  await panel.getByLabel('Username and avatar').uncheck()
  await panel.getByLabel('OpenID Connect sign-in').uncheck()
  await page.getByText('Select at least one scope.').waitFor()
  await panel.getByLabel('OpenID Connect sign-in').check()
  const authorizationUrl = await urlField.inputValue()
  await page.goto(authorizationUrl)
  await page.getByRole('button', { name: /allow/i }).click()
  await page.getByText('Back again').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('state'), 'STATE')
  assert.deepEqual(problems, [])
})

test('saves the logout URIs and shows errors at their fields', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { id } = await createApplication(ann.client, { name: 'Lighthouse' })
  const { page, problems } = await openAs(t, service, ann, `/developers/${id}/sign-in`)
  await page.getByText('Save a redirect URI first.').waitFor()
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Sign-out' }) })
  await panel.getByRole('button', { name: 'Add a post-logout redirect URI' }).click()
  const postLogoutUri = panel.getByLabel('Post-logout redirect URI 1', { exact: true })
  const backChannelUri = panel.getByLabel('Back-channel logout URI')
  await postLogoutUri.fill('javascript:alert(1)')
  await panel.getByRole('button', { name: 'Save changes' }).click()
  await panel.getByText(/^The URI must start with https:\/\/, or with a scheme of your app/).waitFor()
  assert.equal(await postLogoutUri.getAttribute('aria-invalid'), 'true')
  await postLogoutUri.fill('https://lighthouse.example/signed-out')
  await backChannelUri.fill('ftp://lighthouse.example')
  await panel.getByRole('button', { name: 'Save changes' }).click()
  await panel.locator('input[aria-invalid="true"]').and(backChannelUri).waitFor()
  await backChannelUri.fill('https://lighthouse.example/backchannel-logout')
  await panel.getByRole('button', { name: 'Save changes' }).click()
  await panel.getByText('Saved.').waitFor()
  const [application] = (await ann.client.get('/api/applications')).body
  assert.deepEqual(application.postLogoutRedirectUris, ['https://lighthouse.example/signed-out'])
  assert.equal(application.backchannelLogoutUri, 'https://lighthouse.example/backchannel-logout')
  assert.deepEqual(problems, [])
})

test('lists the commands that the bot registered', async t => {
  const service = await startService(t)
  const { owner, bot, serverId } = await createWorld(service)
  const commandsPath = `/api/applications/@me/servers/${serverId}/commands`
  await bot.json('PUT', commandsPath, [
    {
      name: 'dock',
      description: 'Docks a ship',
      nameLocalizations: { de: 'anlegen', ru: 'причал' },
      options: [
        {
          type: 'string',
          name: 'ship',
          description: 'Which',
          autocomplete: true,
          nameLocalizations: { de: 'schiff' },
        },
      ],
    },
  ])
  const path = `/developers/${bot.applicationId}/commands`
  const { page, problems } = await openAs(t, service, owner, path)
  const roll = page.getByRole('listitem').filter({ hasText: '/roll' })
  await roll.getByText('Global').waitFor()
  await roll.getByText('whole number · Required · ≥ 2 · ≤ 100').waitFor()
  const dock = page.getByRole('listitem').filter({ hasText: '/dock' })
  await dock.getByText('Server: Server').waitFor()
  await dock.getByText('Names in other languages: anlegen (de), причал (ru)').waitFor()
  const hints = 'text · Optional · the bot suggests values · Names in other languages: schiff (de)'
  await dock.getByText(hints).waitFor()
  await bot.json('PUT', commandsPath, [])
  await bot.json('PUT', '/api/applications/@me/commands', [])
  await page.reload()
  await page.getByText('No commands registered').waitFor()

  // (discord/unsupported-options)
  const command = (name: string, ...options: object[]) => ({ name, description: 'Does it', options })
  const file = { type: 11, name: 'file', description: 'A file' }
  const discordPath = `/api/v10/applications/${bot.applicationId}`
  await bot.json('PUT', `${discordPath}/commands`, [
    command('upload', { ...file, required: true }),
    command('files', { type: 1, ...command('list', file) }),
  ])
  await bot.json('PUT', `${discordPath}/guilds/${serverId}/commands`, [command('post', file)])
  await page.getByRole('link', { name: 'General', exact: true }).click()
  await page.getByRole('link', { name: 'Commands', exact: true }).click()
  const notice = page.locator('.row-card').filter({ hasText: 'were not registered' })
  await notice.waitFor()
  assert.deepEqual(await notice.getByRole('listitem').allInnerTexts(), [
    '/upload Global',
    'option file of /files list Global',
    'option file of /post Server: Server',
  ])
  await bot.json('PUT', `${discordPath}/guilds/${serverId}/commands`, [])
  await bot.json('PUT', `${discordPath}/commands`, [])
  await page.reload()
  await page.getByText('No commands registered').waitFor()
  assert.equal(await notice.count(), 0)

  await page.goto(`${service.url}/developers/${bot.applicationId}/nonsense`)
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
  assert.deepEqual(problems, [])
})

test('tries a command without a bot: shows the event, the rendered response and validation errors', async t => {
  const service = await startService(t)
  const { owner, bot, serverId, channelId } = await createWorld(service)
  const { page, problems } = await openAs(t, service, owner, `/developers/${bot.applicationId}/try`)
  await page.getByLabel('Command', { exact: true }).selectOption({ label: '/roll — Rolls dice' })
  const run = page.getByRole('button', { name: 'Try it' })
  await run.click()
  await page.getByText('This option is required.').waitFor()
  const sides = page.getByRole('textbox', { name: 'sides' })
  await sides.fill('101')
  await run.click()
  await page.getByText('At most 100.').waitFor()
  await sides.fill('6')
  const response = page.getByLabel('Response (JSON)')
  await response.fill('{"content":')
  await page.getByText('This is not a JSON object.').waitFor()
  assert.equal(await run.isDisabled(), true)
  await response.fill(JSON.stringify({ embeds: [{ title: 'x'.repeat(257) }] }))
  await run.click()
  await page.getByText('embeds[0].title: At most 256 characters.').waitFor()

  await response.fill(
    JSON.stringify({
      content: 5,
      embeds: [{ title: 'x'.repeat(257), url: 'javascript:1' }],
      components: [{ type: 'row', components: [] }],
      text: 'x',
    }),
  )
  await run.click()
  await page.getByText('content: Must be a string or null.').waitFor()
  const list = page.getByRole('alert').filter({ hasText: 'content' })
  assert.deepEqual(await list.getByRole('listitem').allTextContents(), [
    'text: Unknown property. Accepted: content, embeds, components, allowedMentions, ephemeral, flags.',
    'content: Must be a string or null.',
    'embeds[0].title: At most 256 characters.',
    'embeds[0].url: The URL must start with http:// or https://.',
    'components[0].components: At least 1 entry.',
  ])

  await page.getByRole('button', { name: 'Embed', exact: true }).click()
  await confirmDialog(page, 'Discard changes')
  await run.click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByRole('article').getByText('The dice have fallen').waitFor()
  await result.getByText('Only you can see this').waitFor()
  await result.getByText('"name": "sides"').waitFor()
  await result.getByRole('button', { name: 'Dismiss' }).click()
  await result.getByRole('article').waitFor({ state: 'detached' })
  await result.getByText('"name": "sides"').waitFor()
  assert.deepEqual((await owner.client.get(`/api/channels/${channelId}/messages`)).body, [])

  await page.getByRole('link', { name: 'Recent interactions' }).click()
  await confirmDialog(page, 'Discard changes')
  const entry = page.getByRole('listitem').filter({ hasText: 'Responded' })
  await entry.getByText(/tried in the console/).waitFor()
  await bot.json('PUT', '/api/applications/@me/commands', [])
  await page.getByRole('link', { name: 'Try it' }).click()
  await page.getByText('No commands to try').waitFor()
  assert.ok(serverId)
  assert.deepEqual(problems, [])
})
