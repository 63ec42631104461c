import assert from 'node:assert/strict'
import { eachWebhook, multipartBody, multipartField } from '../webhooks-testing.ts'

const form = 'application/x-www-form-urlencoded'

eachWebhook(
  'returns 200 ok for JSON, form and multipart bodies, whatever the Content-Type ' +
    '(webhooks/slack-response, webhooks/content-type, webhooks/slack-shapes)',
  async setup => {
    const { webhook, anonymous, postRaw, listContents } = setup
    const { id, token } = webhook
    const first = await anonymous.json('POST', `/api/webhooks/${id}/${token}/slack`, { text: '*one*' })
    assert.deepEqual([first.status, first.text], [200, 'ok'])
    assert.match(first.headers.get('content-type') ?? '', /^text\/plain/)
    for (const [body, type] of [
      ['{"text":"two"}', 'text/plain'],
      ['{"text":"three"}', undefined],
      ['{"text":"four & more=1"}', form],
      ['payload=%7B%22text%22%3A%22five+%0A5%22%7D'.replace('%0A', '%5Cn'), form],
      ['payload={"text":"six"}', 'text/plain'],
      [multipartBody([multipartField('payload', '{"text":"seven"}')]), 'multipart/form-data; boundary=xx'],
      ['{"text":"eight"}', 'application/json; charset=utf-8'],
      ['{"text":"nine"}', 'json'],
      ['payload={"text":"ten"}', ''],
    ] as const) {
      const bytes = type === undefined ? new TextEncoder().encode(body) : body
      const reply = await postRaw(bytes, type, '/slack')
      assert.deepEqual([reply.status, reply.text], [200, 'ok'], body)
    }
    assert.deepEqual(await listContents(), [
      '**one**',
      'two',
      'three',
      'four & more=1',
      'five \n5',
      'six',
      'seven',
      'eight',
      'nine',
      'ten',
    ])
  },
)

eachWebhook(
  'no message on the Slack route notifies everyone (webhooks/slack-mentions)',
  async ({ postRaw, owner, general }) => {
    for (const text of ['<!channel>', '<!everyone> <!here>', '&lt;!channel&gt;', '@everyone']) {
      assert.equal((await postRaw(JSON.stringify({ text }), 'application/json', '/slack')).text, 'ok')
    }
    const mention = { text: `<@${owner.id}> &lt;@${owner.id}&gt;` }
    assert.equal((await postRaw(JSON.stringify(mention), 'application/json', '/slack')).text, 'ok')
    const { body } = await owner.client.get(`/api/channels/${general.id}/messages`)
    assert.deepEqual(
      body.map((message: { mentions: unknown }) => message.mentions),
      [[owner.id], [], [], [], []].map(users => ({ users, roles: [], everyone: false })),
    )
  },
)

eachWebhook(
  'returns Slack’s error codes in plain text with 400, 404 and 413, and creates no message ' +
    '(webhooks/slack-response, webhooks/slack-conversion)',
  async setup => {
    const { postRaw, anonymous, webhook, listContents } = setup
    const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'
    for (const [body, type, code] of [
      ['{', 'application/json', 'invalid_payload'],
      ['[]', 'application/json', 'invalid_payload'],
      ['', 'application/json', 'invalid_payload'],
      ['x=1', form, 'invalid_payload'],
      [`payload={"text":"x"}${'&x=1'.repeat(1000)}`, form, 'invalid_payload'],
      ['payload={', form, 'invalid_payload'],
      ['payload=1', form, 'invalid_payload'],
      ['payload={}&payload={}', form, 'invalid_payload'],
      ['{"text":"a\\u0000"}', 'application/json', 'invalid_payload'],
      [
        multipartBody([multipartField('payload', '{"text":"x"}'), file]),
        'multipart/form-data; boundary=xx',
        'invalid_payload',
      ],
      [multipartBody([multipartField('other', 'x')]), 'multipart/form-data; boundary=xx', 'invalid_payload'],
      ['{}', 'application/json', 'no_text'],
      ['{"text":"  "}', 'application/json', 'no_text'],
      ['{"blocks":[{"type":"video"}]}', 'application/json', 'no_text'],
    ] as const) {
      const reply = await postRaw(body, type, '/slack')
      assert.deepEqual([reply.status, reply.text], [400, code], body)
      assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/)
    }
    const large = await postRaw('x'.repeat(1024 * 1024 + 1), 'application/json', '/slack')
    assert.deepEqual([large.status, large.text], [413, 'payload_too_large'])
    const unknown = await anonymous.json('POST', `/api/webhooks/${webhook.id}/x/slack`, { text: 'x' })
    assert.deepEqual([unknown.status, unknown.text], [404, 'no_service'])
    assert.deepEqual(await listContents(), [])
  },
)

eachWebhook(
  'returns 429 rate_limited with the rate limit headers',
  async ({ postRaw }) => {
    for (let i = 0; i < 5; i++)
      assert.equal((await postRaw('{"text":"x"}', 'application/json', '/slack')).status, 200)
    const reply = await postRaw('{"text":"x"}', 'application/json', '/slack')
    assert.deepEqual([reply.status, reply.text], [429, 'rate_limited'])
    assert.equal(reply.headers.get('retry-after'), '2')
    assert.equal(reply.headers.get('x-ratelimit-remaining'), '0')
  },
  { rateLimits: 'on' },
)

eachWebhook(
  'the delivery log names what a message contains and is not shown (webhooks/slack-unknown-blocks)',
  async ({ postRaw, owner, general, webhook, listContents }) => {
    const post = (payload: object) => postRaw(JSON.stringify(payload), 'application/json', '/slack')
    assert.equal((await post({ blocks: [{ type: 'alert', text: 'Disk full' }] })).text, 'ok')
    const video = { type: 'video', title: 'x' }
    assert.equal(
      (await post({ text: 'see', blocks: [video], attachments: [{ blocks: [video] }] })).text,
      'ok',
    )
    assert.equal((await post({ blocks: [video] })).text, 'no_text')
    assert.equal((await post({ text: 'all' })).text, 'ok')
    const path = `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`
    const log = (await owner.client.get(path)).body
    assert.deepEqual(
      log.map(({ status, reason }: { status: number; reason: string | null }) => [status, reason]),
      [
        [200, null],
        [400, 'the message has no text, no attachment and no supported block'],
        [200, 'Not shown, or only as text: video.'],
        [200, 'Not shown, or only as text: alert.'],
      ],
    )
    assert.deepEqual(await listContents(), ['Disk full', 'see', 'all'])
  },
)

eachWebhook(
  'blocks of invisible characters are no text, and `text` is shown instead (webhooks/empty-message)',
  async ({ postRaw, listContents }) => {
    const post = (payload: object) => postRaw(JSON.stringify(payload), 'application/json', '/slack')
    const text = { type: 'plain_text', text: '\u200b' }
    const blocks = [{ type: 'section', text }, { type: 'divider' }, { type: 'header', text }]
    assert.equal((await post({ blocks })).text, 'no_text')
    assert.equal((await post({ attachments: [{ blocks }] })).text, 'no_text')
    assert.equal((await post({ text: 'shown', blocks })).text, 'ok')
    assert.deepEqual(await listContents(), ['shown'])
  },
)

eachWebhook(
  'the delivery log names the blocks after the text that can be shown (webhooks/slack-unknown-blocks)',
  async ({ postRaw, owner, general, webhook }) => {
    const text = { type: 'plain_text', text: 'x'.repeat(3000) }
    const blocks = [...Array.from({ length: 9 }, () => ({ type: 'section', text })), { type: 'context' }]
    assert.equal((await postRaw(JSON.stringify({ blocks }), 'application/json', '/slack')).text, 'ok')
    const path = `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`
    const reason = 'Not shown, or only as text: context, the end of text (after 4096 characters).'
    assert.equal((await owner.client.get(path)).body[0].reason, reason)
  },
)

eachWebhook(
  '`short` may be a boolean in any form (webhooks/slack-shapes)',
  async ({ postRaw, owner, general }) => {
    const shorts = [true, 'True', 1, '1', false, 'False', 0, '', null]
    const fields = shorts.map(short => ({ title: 'Host', value: 'db1', short }))
    const payload = JSON.stringify({ attachments: [{ fields }] })
    assert.equal((await postRaw(payload, 'application/json', '/slack')).text, 'ok')
    const [message] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
    assert.deepEqual(
      message.embeds[0].fields.map(({ inline }: { inline: boolean }) => inline),
      [true, true, true, true, false, false, false, false, false],
    )
  },
)

eachWebhook(
  'keeps the characters of URLs, in the text and in an attachment (webhooks/slack-links)',
  async ({ postRaw, owner, general }) => {
    const text =
      '<https://people.example/~ann/a_b> <https://x.example/~~a~~/b> <https://x.example/?a=~b&amp;y=~>'
    const body = JSON.stringify({ text, attachments: [{ text }] })
    assert.equal((await postRaw(body, 'application/json', '/slack')).text, 'ok')
    const { body: messages } = await owner.client.get(`/api/channels/${general.id}/messages`)
    const expected = 'https://people.example/~ann/a_b https://x.example/~~a~~/b <https://x.example/?a=~b&y=~>'
    assert.deepEqual([messages[0].content, messages[0].embeds[0].description], [expected, expected])
  },
)
