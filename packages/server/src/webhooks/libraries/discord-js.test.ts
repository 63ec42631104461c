import assert from 'node:assert/strict'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import type { TestService } from '@gatehouse/testkit/service'
import { EmbedBuilder, WebhookClient } from 'discord.js'
import { eachWebhook, type WebhookSetup } from '../webhooks-testing.ts'

async function listMessages({ owner, general }: WebhookSetup) {
  return (await owner.client.get(`/api/channels/${general.id}/messages`)).body
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
      threadId: setup.general.id,
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
