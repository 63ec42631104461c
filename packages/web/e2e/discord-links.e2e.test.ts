import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer } from '@gatehouse/testkit/community'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

/** A person and a bot post links to another channel, to a message in it, and to an invite. */
async function openLinks(t: TestContext) {
  const service = await startService(t)
  const { owner, bot, serverId, channelId } = await createWorld(service)
  const post = async (client: Pick<typeof bot, 'json'>, channel: string, body: object): Promise<string> => {
    const {
      status,
      body: message,
      text,
    } = await client.json('POST', `/api/channels/${channel}/messages`, body)
    assert.equal(status, 201, text)
    return message.id
  }
  const { id: otherId } = (
    await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'other' })
  ).body
  const target = await post(owner.client, otherId, { content: 'The target' })
  const { server } = await createServer(owner)
  const { code } = (await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})).body
  await post(owner.client, channelId, {
    content: `https://discord.com/channels/${serverId}/9${otherId.slice(1)} https://discord.gg/${code}`,
  })
  await post(bot, channelId, {
    content: `[the channel](https://ptb.discord.com/channels/${serverId}/${otherId}) and https://discord.gg/x${code}`,
    embeds: [
      { title: 'The message', url: `https://discord.com/channels/${serverId}/${otherId}/${target}` },
      { title: 'The invite', url: `https://discord.com/invite/${code}` },
    ],
    components: [
      {
        type: 'row',
        components: [
          {
            type: 'button',
            style: 'link',
            label: 'Go',
            url: `https://discord.com/channels/${serverId}/${otherId}`,
          },
        ],
      },
    ],
  })
  const opened = await openAs(t, service, owner, `/channels/${serverId}/${channelId}`)
  await opened.page
    .context()
    .route(/^https:/, route => route.fulfill({ contentType: 'text/plain', body: 'opened' }))
  const path = () => new URL(opened.page.url()).pathname
  return {
    ...opened,
    path,
    code,
    there: `/channels/${serverId}/${otherId}`,
    here: `/channels/${serverId}/${channelId}`,
  }
}

test('links to channels and messages of Discord open here (discord/links)', async t => {
  const { page, path, there, here, problems } = await openLinks(t)
  const messages = page.getByLabel('Messages in general')
  for (const name of ['the channel', 'The message', 'Go']) {
    const link = messages.getByRole('link', { name, exact: true })
    assert.equal(await link.getAttribute('href'), there)
    assert.equal(await link.getAttribute('target'), null)
    await link.click()
    await page.getByLabel('Messages in other').getByText('The target').waitFor()
    assert.equal(path(), there)
    await page.goBack()
    await waitForValue(async () => path(), here)
  }
  // A channel that the client does not have.
  const unknown = messages.getByRole('link', { name: /channels/ })
  assert.match((await unknown.getAttribute('href')) ?? '', /^https:\/\/discord\.com\//)
  assert.deepEqual(problems, [])
})

test('an invite of Discord in what a bot wrote opens here if it exists (discord/links)', async t => {
  const { page, path, code, here, there } = await openLinks(t)
  const messages = page.getByLabel('Messages in general')
  const dialog = page.getByRole('alertdialog', { name: 'Open this link?' })
  // The code for links to Discord has its own chunk.
  await messages.locator(`a[href="${there}"]`).first().waitFor()
  await messages.getByRole('link', { name: `https://discord.gg/x${code}` }).click()
  await dialog.getByText('discord.gg', { exact: false }).first().waitFor()
  await page.keyboard.press('Escape')
  assert.equal(path(), here)

  // In what a person wrote, it is a link to Discord.
  const popup = page.waitForEvent('popup')
  await messages.getByRole('link', { name: `https://discord.gg/${code}` }).click()
  assert.equal((await popup).url(), `https://discord.gg/${code}`)

  await messages.getByRole('link', { name: 'The invite' }).click()
  // The user is a member of the server.
  await waitForValue(async () => path().startsWith('/channels/') && path() !== here, true)
})
