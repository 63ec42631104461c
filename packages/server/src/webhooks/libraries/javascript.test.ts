import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import type { TestService } from '@gatehouse/testkit/service'
import { IncomingWebhook } from '@slack/webhook'
import { EmbedBuilder, WebhookClient } from 'discord.js'
import { eachWebhook, type WebhookSetup } from '../webhooks-testing.ts'

// The package exports no types.
const require = createRequire(import.meta.url)
const { MessageBuilder, Webhook } = require('discord-webhook-node')

/** Oldest first. */
async function listMessages({ owner, general }: WebhookSetup) {
  const reply = await owner.client.get(`/api/channels/${general.id}/messages`)
  return reply.body.reverse()
}

function createDiscordClient({ webhook }: WebhookSetup, service: TestService): WebhookClient {
  return new WebhookClient({ id: webhook.id, token: webhook.token }, { rest: { api: `${service.url}/api` } })
}

eachWebhook('discord.js sends with embeds, fetches, edits and deletes', async ({ service, ...setup }) => {
  const client = createDiscordClient(setup, service)
  try {
    const embed = new EmbedBuilder()
      .setTitle('Build 7')
      .setURL('https://ci.example/7')
      .setDescription('all green')
      .setColor('#2ecc71')
      .setAuthor({ name: 'CI', iconURL: 'https://ci.example/i.png' })
      .addFields({ name: 'Branch', value: 'main', inline: true })
      .setImage('https://ci.example/graph.png')
      .setFooter({ text: 'took 3 s' })
      .setTimestamp(new Date('2026-01-15T12:00:00Z'))
    const sent = await client.send({
      content: `ready, <@${setup.owner.id}> @everyone`,
      username: 'Builder',
      avatarURL: 'https://ci.example/a.png',
      embeds: [embed],
      allowedMentions: { parse: ['users'] },
    })
    assert.deepEqual(withoutProxyUrls(sent.embeds), [
      { ...JSON.parse(JSON.stringify(embed)), type: 'rich', timestamp: '2026-01-15T12:00:00.000000+00:00' },
    ])
    assert.deepEqual([sent.author.username, sent.mention_everyone], ['Builder', false])
    assert.deepEqual(
      sent.mentions.map(user => user.id),
      [setup.owner.id],
    )
    const fetched = await client.fetchMessage(sent.id)
    assert.deepEqual(fetched, sent)
    service.clock.advance(1000)
    const edited = await client.editMessage(sent.id, { content: 'changed', embeds: [] })
    assert.deepEqual([edited.content, edited.embeds, edited.id], ['changed', [], sent.id])
    assert.equal(edited.edited_timestamp, '2026-01-15T12:00:01.000000+00:00')
    const [message] = await listMessages(setup)
    assert.deepEqual([message.content, message.author.displayName], ['changed', 'Builder'])
    await client.deleteMessage(sent.id)
    assert.deepEqual(await listMessages(setup), [])

    await assert.rejects(client.fetchMessage(sent.id), { name: 'DiscordAPIError[10008]', status: 404 })
    await assert.rejects(client.send(''), { name: 'DiscordAPIError[50006]', status: 400 })
    await assert.rejects(client.send({ content: 'x', embeds: [{ title: 'x'.repeat(257) }] }), {
      name: 'DiscordAPIError[50035]',
      message: /embeds\[0\]\.title\[BASE_TYPE_MAX_LENGTH\]: Must be 256 or fewer in length/,
    })
    await assert.rejects(
      client.send({ content: 'x', files: [{ attachment: Buffer.from('x'), name: 'x.txt' }] }),
      { name: 'DiscordAPIError[50035]', message: /Files are not accepted here/ },
    )

    await client.edit({ name: 'By the client' })
    assert.equal((await setup.anonymous.get(setup.path)).body.name, 'By the client')
    await client.delete()
    await assert.rejects(client.send('x'), { name: 'DiscordAPIError[10015]', status: 404 })
  } finally {
    client.destroy()
  }
})

eachWebhook(
  'discord.js obeys the rate limit headers and sends every message',
  async ({ service, ...setup }) => {
    const client = createDiscordClient(setup, service)
    try {
      let waits = 0
      client.rest.on('rateLimited', () => {
        waits++
        service.clock.advance(2000)
      })
      const texts = Array.from({ length: 7 }, (_, i) => String(i))
      await Promise.all(texts.map(text => client.send(text)))
      assert.deepEqual(await setup.listContents(), texts)
      assert.ok(waits > 0)
    } finally {
      client.destroy()
    }
  },
  { rateLimits: 'on' },
)

eachWebhook('discord-webhook-node sends text and embeds', async ({ service, ...setup }) => {
  const hook = new Webhook(setup.webhook.url)
  hook.setUsername('Node')
  hook.setAvatar('https://a.example/n.png')
  await hook.send('plain')
  await hook.send(
    new MessageBuilder()
      .setText('with an embed')
      .setTitle('Title')
      .setURL('https://a.example')
      .setAuthor('Author', 'https://a.example/i.png', 'https://a.example/author')
      .addField('First', 'this is inline', true)
      .addField('Second', 'this is not')
      .setColor('#00b0f4')
      .setThumbnail('https://a.example/t.png')
      .setDescription('text')
      .setImage('https://a.example/x.png')
      .setFooter('foot', 'https://a.example/f.png')
      .setTimestamp(),
  )
  await hook.success('**Deployed**', 'where', 'everywhere', true)
  const [plain, withEmbed, success] = await listMessages(setup)
  assert.deepEqual(
    [plain.content, plain.author.displayName, plain.author.avatar],
    ['plain', 'Node', 'https://a.example/n.png'],
  )
  const { timestamp, ...embed } = withoutProxyUrls(withEmbed.embeds[0])
  assert.ok(Date.parse(timestamp) > 0)
  assert.deepEqual(
    [withEmbed.content, embed],
    [
      'with an embed',
      {
        title: 'Title',
        description: 'text',
        url: 'https://a.example',
        color: 0x00b0f4,
        footer: { text: 'foot', icon_url: 'https://a.example/f.png' },
        image: { url: 'https://a.example/x.png' },
        thumbnail: { url: 'https://a.example/t.png' },
        author: { name: 'Author', url: 'https://a.example/author', icon_url: 'https://a.example/i.png' },
        fields: [
          { name: 'First', value: 'this is inline', inline: true },
          { name: 'Second', value: 'this is not', inline: false },
        ],
      },
    ],
  )
  assert.deepEqual([success.embeds[0].title, success.embeds[0].fields.length], ['**Deployed**', 1])
  // For text without an embed, the library sends an embed that has only an empty array.
  await hook.send(new MessageBuilder().setText('no embed'))
  const [, , , textOnly] = await listMessages(setup)
  assert.deepEqual([textOnly.content, textOnly.embeds], ['no embed', []])
  await assert.rejects(hook.send(new MessageBuilder()), /400 status code.*50035/)
  await assert.rejects(hook.sendFile(import.meta.filename), /400/)
  await assert.rejects(hook.send('x'.repeat(2001)), /400 status code.*50035/)
  assert.equal((await listMessages(setup)).length, 4)
})

eachWebhook(
  '@slack/webhook sends text, attachments and blocks to the Slack route',
  async ({ service: _, ...setup }) => {
    const hook = new IncomingWebhook(`${setup.webhook.url}/slack`, {
      username: 'Slacker',
      icon_url: 'https://a.example/s.png',
    })
    assert.deepEqual(await hook.send('*hello*'), { text: 'ok' })
    await hook.send({
      text: 'top',
      attachments: [
        {
          color: 'good',
          title: 'T',
          title_link: 'https://a.example',
          text: 'body',
          fields: [{ title: 'a', value: 'b', short: true }],
          footer: 'f',
          ts: '1700000000',
        },
      ],
    })
    await hook.send({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Head' } },
        { type: 'section', text: { type: 'mrkdwn', text: 'see <https://a.example|this>' } },
        { type: 'divider' },
      ],
    })
    const [text, withAttachment, blocks] = await listMessages(setup)
    assert.deepEqual(
      [text.content, text.author.displayName, text.author.avatar],
      ['**hello**', 'Slacker', 'https://a.example/s.png'],
    )
    assert.deepEqual(
      [withAttachment.content, withAttachment.embeds],
      [
        'top',
        [
          {
            title: 'T',
            description: 'body',
            url: 'https://a.example',
            timestamp: '2023-11-14T22:13:20.000Z',
            color: 0x2eb67d,
            footer: { text: 'f' },
            fields: [{ name: 'a', value: 'b', inline: true }],
          },
        ],
      ],
    )
    assert.equal(blocks.content, '**Head**\nsee [this](https://a.example)\n———')
    await assert.rejects(hook.send({}), error => {
      assert.ok(error instanceof Error && 'body' in error && 'statusCode' in error)
      assert.deepEqual([error.statusCode, error.body], [400, 'no_text'])
      return true
    })
  },
)
