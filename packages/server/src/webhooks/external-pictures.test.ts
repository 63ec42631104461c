import assert from 'node:assert/strict'
import { type Published, payloads } from '@gatehouse/testkit/community'
import { subjects } from '../events/gateway-events.ts'
import { eachWebhook } from './webhooks-testing.ts'

const avatar = 'http://ci.example/avatar.png?a=1&b=%D1%8F'
const embed = {
  title: 'Build',
  url: 'http://ci.example/',
  image: { url: 'http://ci.example/я.png' },
  thumbnail: { url: 'https://ci.example/thumbnail.png' },
  author: { name: 'CI', url: 'http://ci.example/author', icon_url: 'http://ci.example/author.png' },
  footer: { text: 'ci', icon_url: 'http://ci.example/footer.png' },
}

/** The URL that a signed path contains, if the service signed it for this webhook. */
function pictureOf(path: string, webhookId: string): string {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  assert.deepEqual([pathname, searchParams.get('poster')], ['/media-proxy', webhookId])
  assert.match(searchParams.get('signature') ?? '', /^[\w-]{43}$/)
  return Buffer.from(searchParams.get('url') ?? '', 'base64url').toString()
}

/** Checks that each picture has its signed URL with this origin beside it. Returns the embeds without these. */
function checkProxyUrls(embeds: (typeof embed)[], webhookId: string, origin: string): unknown {
  const check = (url: string, proxied: string) => {
    assert.ok(proxied.startsWith(`${origin}/`), proxied)
    assert.equal(pictureOf(proxied, webhookId), url)
  }
  return JSON.parse(JSON.stringify(embeds), (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { proxy_url: image, proxy_icon_url: icon, ...rest } = value
    if (image !== undefined) check(rest.url, image)
    if (icon !== undefined) check(rest.icon_url, icon)
    assert.equal(icon !== undefined, rest.icon_url !== undefined)
    return rest
  })
}

eachWebhook(
  'messages have signed URLs beside the original ones of their pictures (webhooks/media-proxy)',
  async ({ service, webhook, general, path, owner, post, anonymous }) => {
    const published: Published[] = []
    await service.bus.subscribe(subjects.channel(general.id), message =>
      published.push({ subject: '', ...(message as Omit<Published, 'subject'>) }),
    )
    const posted = await post({ avatar_url: avatar, embeds: [embed] })
    assert.equal(posted.status, 200, posted.text)
    const discord = [
      posted,
      await anonymous.get(`${path}/messages/${posted.body.id}`),
      await anonymous.json('PATCH', `${path}/messages/${posted.body.id}`, {}),
      await anonymous.json('PATCH', `${path}/messages/${posted.body.id}`, { content: 'edited' }),
    ]
    for (const { body } of discord) {
      assert.equal(body.author.avatar_url, avatar)
      assert.deepEqual(checkProxyUrls(body.embeds, webhook.id, service.url), [{ ...embed, type: 'rich' }])
    }
    const messages = `/api/channels/${general.id}/messages`
    const native = [
      ...payloads(published, '', 'MESSAGE_CREATE'),
      ...payloads(published, '', 'MESSAGE_UPDATE'),
      ...(await owner.client.get(messages)).body,
      (await owner.client.get(`${messages}/${posted.body.id}`)).body,
    ]
    assert.equal(native.length, 4)
    for (const { author, embeds } of native) {
      assert.equal(author.avatar, avatar)
      assert.equal(pictureOf(author.avatarProxyUrl, webhook.id), avatar)
      assert.deepEqual(checkProxyUrls(embeds, webhook.id, ''), [embed])
    }
    const [row] = await service.db.all<{ embeds: string }>`
      SELECT embeds FROM messages WHERE id = ${posted.body.id}`
    assert.doesNotMatch(row?.embeds ?? '', /proxy/)
  },
)

eachWebhook(
  'a signed URL in a request is ignored, and messages without pictures have none (webhooks/media-proxy)',
  async ({ owner, general, post }) => {
    const image = { url: 'http://ci.example/a.png', proxy_url: 'http://evil.example/' }
    const { body } = await post({
      embeds: [{ image, footer: { text: 'x', proxy_icon_url: 'http://evil.example/' } }],
    })
    assert.match(body.embeds[0].image.proxy_url, /\/media-proxy\?/)
    assert.equal(body.embeds[0].footer.proxy_icon_url, undefined)
    await owner.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'x' })
    const [ofUser, ofWebhook] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
    for (const { author } of [ofUser, ofWebhook]) assert.equal(author.avatarProxyUrl, undefined)
  },
)

eachWebhook(
  'the settings of a channel show the avatar of a webhook (webhooks/media-proxy)',
  async ({ owner, webhook, general, post }) => {
    const settings = `/api/channels/${general.id}/webhooks`
    assert.equal(webhook.avatarProxyUrl, undefined)
    const changed = (await owner.client.json('PATCH', `${settings}/${webhook.id}`, { avatar })).body
    const [listed] = (await owner.client.get(settings)).body
    await post({ content: 'x' })
    const [message] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
    for (const path of [changed.avatarProxyUrl, listed.avatarProxyUrl, message.author.avatarProxyUrl])
      assert.equal(pictureOf(path, webhook.id), avatar)
    assert.deepEqual([changed.avatar, listed.avatar], [avatar, avatar])
  },
)
