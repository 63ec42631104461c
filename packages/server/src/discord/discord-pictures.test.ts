import assert from 'node:assert/strict'
import { gif, png } from '@gatehouse/testkit/images'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import sharp from 'sharp'
import { eachDiscordBot } from './discord-testing.ts'

const pngUri = `data:image/png;base64,${png.toString('base64')}`
const gifUri = `data:image/gif;base64,${gif.toString('base64')}`

eachDiscordBot(
  'a bot changes its display name and avatar, and others see them (discord/own-user)',
  async ({ owner, bot, server, service, call, send }) => {
    const changed = await call('PATCH', '/users/@me', { username: 'Poll taker', avatar: pngUri })
    assert.deepEqual([changed.username, changed.global_name], ['helper', 'Poll taker'])
    assert.match(changed.avatar, /^[0-9a-f]{32}$/)
    assert.deepEqual(await call('GET', '/users/@me'), changed)
    const member = await owner.client.get(`/api/servers/${server.id}/members/${bot.botId}`)
    assert.equal(member.body.user.avatar, `/images/users/${bot.botId}/${changed.avatar}`)
    const picture = await service.client().get(`/avatars/${bot.botId}/${changed.avatar}.webp?size=128`)
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])

    // Null is no name, but removes the avatar.
    const removed = await call('PATCH', '/users/@me', { username: null, avatar: null })
    assert.deepEqual([removed.global_name, removed.avatar], ['Poll taker', null])
    const wrong = await send('PATCH', '/users/@me', { username: '' })
    assert.deepEqual([wrong.status, wrong.body.code], [400, 50035])
    assert.ok(wrong.body.errors.username._errors.length > 0, wrong.text)
    const banner = await send('PATCH', '/users/@me', { banner: pngUri })
    assert.deepEqual([banner.status, Object.keys(banner.body.errors)], [400, ['banner']])
  },
)

eachDiscordBot(
  'a bot changes the description of its application, and nothing else of it (discord/application)',
  async ({ call, send }) => {
    const before = await call('GET', '/applications/@me')
    const changed = await call('PATCH', '/applications/@me', { description: 'Asks', icon: null })
    assert.deepEqual(changed, { ...before, description: 'Asks' })
    for (const body of [{ icon: pngUri }, { interactions_endpoint_url: 'https://example.org' }]) {
      const reply = await send('PATCH', '/applications/@me', body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
    }
    assert.deepEqual(await call('GET', '/applications/@me'), changed)
  },
)

eachDiscordBot(
  'a webhook of a bot has a picture, and names its application (webhooks/picture, webhooks/application)',
  async ({ owner, bot, general, service, call, send }) => {
    const path = `/channels/${general.id}/webhooks`
    const webhook = await call('POST', path, { name: 'h', avatar: pngUri })
    assert.equal(webhook.application_id, bot.applicationId)
    assert.deepEqual(await call('GET', path), [webhook])
    assert.deepEqual(await call('GET', `/webhooks/${webhook.id}`), webhook)
    const client = service.client()
    const url = new URL(webhook.url).pathname
    const byToken = (await client.get(url)).body
    assert.deepEqual([byToken.application_id, byToken.avatar], [bot.applicationId, webhook.avatar])
    const cdn = (hash: string) => client.get(`/avatars/${webhook.id}/${hash}.png`)
    assert.equal((await cdn(webhook.avatar)).headers.get('content-type'), 'image/png')

    const posted = await client.json('POST', `${url}?wait=true`, { content: 'hi' })
    const posts = [posted.body, await call('GET', `/channels/${general.id}/messages/${posted.body.id}`)]
    for (const { application_id, webhook_id, author } of posts) {
      const expected = [bot.applicationId, webhook.id, webhook.avatar]
      assert.deepEqual([application_id, webhook_id, author.avatar], expected)
    }
    const [message] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
    assert.equal(message.author.avatar, `/images/webhooks/${webhook.id}/${webhook.avatar}`)
    assert.equal(message.author.avatarProxyUrl, message.author.avatar)
    // A post with its own avatar.
    const own = await client.json('POST', `${url}?wait=true`, { avatar_url: 'https://example.org/a.png' })
    assert.equal(own.status, 400)

    const changed = await call('PATCH', `/webhooks/${webhook.id}`, { avatar: gifUri })
    assert.notEqual(changed.avatar, webhook.avatar)
    assert.equal((await cdn(webhook.avatar)).status, 404)
    assert.equal((await cdn(changed.avatar)).headers.get('content-type'), 'image/gif')
    assert.equal((await call('PATCH', `/webhooks/${webhook.id}`, { avatar: null })).avatar, null)
    assert.equal((await cdn(changed.avatar)).status, 404)
    const broken = await send('POST', path, { name: 'h', avatar: 'data:image/png;base64,AAAA' })
    assert.deepEqual([broken.status, Object.keys(broken.body.errors)], [400, ['avatar']])
    assert.equal((await call('GET', path)).length, 1)
  },
)

eachDiscordBot(
  'a webhook of a person has no application, and an external avatar no hash (webhooks/application)',
  async ({ owner, general, service, call }) => {
    // The URL ends as a path of ours.
    const avatar = `https://example.org/${'0'.repeat(32)}`
    const { body } = await owner.client.json('POST', `/api/channels/${general.id}/webhooks`, {
      name: 'Robot',
      avatar,
    })
    assert.deepEqual([body.avatar, body.applicationId], [avatar, null])
    const [webhook] = await call('GET', `/channels/${general.id}/webhooks`)
    assert.deepEqual([webhook.avatar, webhook.application_id], [null, null])
    const url = new URL(body.url).pathname
    const posted = (await service.client().json('POST', `${url}?wait=true`, { content: 'hi' })).body
    assert.equal('application_id' in posted, false)
    const read = await call('GET', `/channels/${general.id}/messages/${posted.id}`)
    assert.deepEqual(['application_id' in read, read.author.avatar], [false, null])
  },
)

eachDiscordBot(
  'the picture of a webhook is deleted with it, and with its channel (webhooks/picture)',
  async ({ owner, server, service, call }) => {
    const count = async () => (await service.db.all`SELECT 1 FROM images WHERE kind = 'webhooks'`).length
    const { id } = (await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' }))
      .body
    const create = () => call('POST', `/channels/${id}/webhooks`, { name: 'h', avatar: pngUri })
    const [byBot, byToken] = [await create(), await create(), await create()]
    assert.equal(await count(), 3)
    await call('DELETE', `/webhooks/${byBot.id}`)
    await service.client().send(new URL(byToken.url).pathname, { method: 'DELETE' })
    assert.equal(await count(), 1)
    await owner.client.request('DELETE', `/api/channels/${id}`)
    service.clock.advance(60_000)
    await waitUntil(async () => (await count()) === 0, 'the sweep')
  },
)

eachDiscordBot(
  "the paths of Discord's CDN have the pictures of the hashes that objects say (discord/pictures)",
  async ({ server, bot, service, call }) => {
    const client = service.client()
    const { icon } = await call('PATCH', `/guilds/${server.id}`, { icon: pngUri })
    for (const extension of ['png', 'webp', 'jpg', 'jpeg', 'gif']) {
      const reply = await client.get(`/icons/${server.id}/${icon}.${extension}`)
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'image/png'])
      assert.equal(reply.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(reply.headers.get('content-security-policy'), "sandbox; default-src 'none'")
    }
    const unknown = [
      `/icons/${server.id}/${'0'.repeat(32)}.png`,
      `/icons/${server.id}/${icon}.svg`,
      `/icons/${server.id}/${icon}`,
      `/icons/x/${icon}.png`,
      `/avatars/${server.id}/${icon}.png`,
      `/avatars/${bot.botId}/default.png`,
      `/app-icons/${bot.applicationId}/${icon}.png`,
      '/embed/avatars/6.png',
      '/embed/avatars/x.png',
    ]
    for (const path of unknown) assert.equal((await client.get(path)).status, 404, path)
    const pictures = []
    for (let n = 0; n < 6; n++) {
      const reply = await fetch(`${service.url}/embed/avatars/${n}.png`)
      const bytes = Buffer.from(await reply.arrayBuffer())
      assert.equal(reply.headers.get('content-type'), 'image/png')
      const { format, width, height } = await sharp(bytes, { failOn: 'warning' }).metadata()
      assert.deepEqual([format, width, height], ['png', 80, 80])
      pictures.push(bytes.toString('base64'))
    }
    assert.equal(new Set(pictures).size, 6)
  },
)
