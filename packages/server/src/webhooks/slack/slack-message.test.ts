import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import { codePoints } from '@gatehouse/protocol/text'
import { SlackError } from './slack-errors.ts'
import { parseSlackMessage } from './slack-message.ts'

function assertRejected(code: string, payload: object): void {
  assert.throws(
    () => parseSlackMessage({ ...payload }),
    error => error instanceof SlackError && error.slackCode === code,
    JSON.stringify(payload),
  )
}

test('converts every member of an attachment to the embed (webhooks/slack-conversion)', () => {
  const { content, embeds, username, avatarUrl } = parseSlackMessage({
    text: 'top',
    username: 'monitor\u202e',
    icon_url: 'https://a.example/i.png',
    icon_emoji: ':x:',
    channel: '#elsewhere',
    attachments: [
      {
        fallback: 'not shown',
        color: 'danger',
        pretext: 'before',
        author_name: 'Bob',
        author_link: 'https://a.example/bob',
        author_icon: 'https://a.example/bob.png',
        title: 'Disk &amp; co',
        title_link: 'https://a.example/disk',
        text: '*full*',
        fields: [
          { title: 'Host', value: 'db1', short: true },
          { title: 'Use', value: 97, short: 'true' },
          { title: 'Sure', value: false, short: false },
          { value: 'no title' },
          { title: 'no value' },
          {},
          null,
        ],
        image_url: 'https://a.example/graph.png',
        thumb_url: 'https://a.example/thumb.png',
        footer: '<https://a.example|prom>',
        footer_icon: 'https://a.example/f.png',
        ts: 1_700_000_000,
      },
    ],
  })
  assert.deepEqual([content, username, avatarUrl], ['top', 'monitor', 'https://a.example/i.png'])
  assert.deepEqual(embeds, [
    {
      title: 'Disk & co',
      description: 'before\n**full**',
      url: 'https://a.example/disk',
      timestamp: '2023-11-14T22:13:20.000Z',
      color: 0xe01e5a,
      footer: { text: 'prom', icon_url: 'https://a.example/f.png' },
      image: { url: 'https://a.example/graph.png' },
      thumbnail: { url: 'https://a.example/thumb.png' },
      author: { name: 'Bob', url: 'https://a.example/bob', icon_url: 'https://a.example/bob.png' },
      fields: [
        { name: 'Host', value: 'db1', inline: true },
        { name: 'Use', value: '97', inline: true },
        { name: 'Sure', value: 'false', inline: false },
        { name: '\u200b', value: 'no title', inline: false },
        { name: 'no value', value: '\u200b', inline: false },
      ],
    },
  ])
})

test('accepts every form of color and ts, and ignores invalid values (webhooks/slack-shapes)', () => {
  const convertColor = (color: unknown) =>
    parseSlackMessage({ attachments: [{ text: 'x', color }] }).embeds[0]?.color
  for (const [color, value] of [
    ['good', 0x2eb67d],
    ['warning', 0xecb22e],
    ['DANGER', 0xe01e5a],
    ['#abc', 0xaabbcc],
    ['36a64f', 0x36a64f],
    ['#36A64F', 0x36a64f],
    ['reddish', undefined],
    ['#12345', undefined],
    ['constructor', undefined],
    ['', undefined],
    [5, undefined],
    [null, undefined],
  ] as const) {
    assert.equal(convertColor(color), value, String(color))
  }
  const convertTs = (ts: unknown) =>
    parseSlackMessage({ attachments: [{ text: 'x', ts }] }).embeds[0]?.timestamp
  assert.equal(convertTs('1700000000'), '2023-11-14T22:13:20.000Z')
  assert.equal(convertTs(1_700_000_000.5), '2023-11-14T22:13:20.500Z')
  for (const ts of ['soon', '', null, 1e20, 1e13, {}, [], Number.NaN, true])
    assert.equal(convertTs(ts), undefined)
})

test('converts link buttons of an attachment to links', () => {
  const actions = [
    { type: 'button', text: 'Run [book]', url: 'https://a.example/?a=1&b=2' },
    { type: 'button', text: 'x', url: 'javascript:1' },
    { type: 'button', text: 'press', name: 'p' },
    { type: 'button', url: 'https://b.example' },
  ]
  const { embeds } = parseSlackMessage({ attachments: [{ text: 'x', actions }] })
  assert.equal(embeds[0]?.description, 'x\n[Run \\[book\\]](https://a.example/?a=1&b=2) · https://b.example')
})

test('drops URLs that are not http or https (webhooks/url-schemes)', () => {
  const { embeds, avatarUrl } = parseSlackMessage({
    icon_url: 'javascript:1',
    attachments: [
      {
        title: 't',
        title_link: 'javascript:1',
        image_url: 'data:x',
        thumb_url: 'file:///x',
        author_name: 'a',
        author_link: ' vbscript:x',
        author_icon: 7,
      },
    ],
  })
  assert.deepEqual([embeds, avatarUrl], [[{ title: 't', author: { name: 'a' } }], undefined])
})

test('ignores null, empty and mistyped members; fallback is for nothing else (webhooks/slack-shapes)', () => {
  assert.equal(parseSlackMessage({ text: 'x', attachments: null, blocks: null }).content, 'x')
  assert.equal(parseSlackMessage({ text: 5 }).content, '5')
  assert.deepEqual(parseSlackMessage({ text: 'x', attachments: [{ fields: null, text: {} }] }).embeds, [])
  const unnamed = { author_name: '\u200b\u200e', author_link: 'https://a.example', text: 'y' }
  assert.deepEqual(parseSlackMessage({ text: 'x', attachments: [unnamed] }).embeds, [{ description: 'y' }])
  assert.deepEqual(parseSlackMessage({ attachments: [{ fallback: 'plain', color: 'good' }] }).embeds, [
    { description: 'plain', color: 0x2eb67d },
  ])
  for (const payload of [
    {},
    { text: '' },
    { text: ' \u200b ' },
    { attachments: [{}] },
    { attachments: [{ color: 'good' }] },
    { text: {} },
  ]) {
    assertRejected('no_text', payload)
  }
})

test('rejects 11 attachments, a value that is not an array, and U+0000', () => {
  assertRejected('invalid_payload', { attachments: Array.from({ length: 11 }, () => ({ text: 'x' })) })
  assertRejected('invalid_payload', { text: 'x', attachments: 'y' })
  assertRejected('invalid_payload', { text: 'x', attachments: [{ fields: {} }] })
  for (const text of ['a\u0000', '\ud800']) {
    assertRejected('invalid_payload', { text })
    assertRejected('invalid_payload', { username: text, text: 'x' })
    assertRejected('invalid_payload', { attachments: [{ fields: [{ title: 'a', value: text }] }] })
    assertRejected('invalid_payload', { blocks: [{ type: 'header', text: { type: 'plain_text', text } }] })
  }
})

test('renders blocks, and rejects a message of unsupported blocks alone (webhooks/slack-conversion)', () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Deploy *now*' } },
    {
      type: 'section',
      text: { type: 'mrkdwn', text: '*done* <https://a.example|log>' },
      fields: [
        { type: 'mrkdwn', text: '*Env*\nprod' },
        { type: 'plain_text', text: 'ok' },
      ],
      accessory: { type: 'image', image_url: 'https://a.example/a.png', alt_text: 'a' },
    },
    { type: 'divider' },
    {
      type: 'context',
      elements: [
        { type: 'mrkdwn', text: 'by bob' },
        { type: 'image', image_url: 'x' },
        { type: 'mrkdwn', text: 'today' },
      ],
    },
    { type: 'image', image_url: 'https://a.example/b.png', title: { type: 'plain_text', text: 'Graph' } },
    { type: 'actions', elements: [] },
    { type: 'from the future' },
  ]
  const { content, embeds } = parseSlackMessage({ text: 'for a notification', blocks })
  assert.equal(
    content,
    '**Deploy \\*now\\***\n**done** [log](https://a.example)\n**Env**\nprod\nok\n———\nby bob · today',
  )
  assert.deepEqual(embeds, [
    { image: { url: 'https://a.example/a.png' } },
    { title: 'Graph', image: { url: 'https://a.example/b.png' } },
  ])
  assert.equal(parseSlackMessage({ text: 'shown', blocks: [{ type: 'actions' }] }).content, 'shown')
  assert.deepEqual(
    parseSlackMessage({ attachments: [{ color: 'good', blocks: blocks.slice(0, 1) }] }).embeds,
    [{ description: '**Deploy \\*now\\***', color: 0x2eb67d }],
  )
  assertRejected('no_text', { blocks: [{ type: 'actions' }, { type: 'divider' }, { type: 7 }] })
})

test('converts link buttons of blocks to links and removes other buttons', () => {
  const button = (text: string, url?: string) => ({ type: 'button', text: { type: 'plain_text', text }, url })
  const elements = [
    button('Open', 'https://a.example/1'),
    button('Press'),
    button('Run', 'javascript:1'),
    button('Log [7]', 'https://a.example/2'),
  ]
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'Down' }, accessory: elements[0] }
  assert.equal(
    parseSlackMessage({ blocks: [section, { type: 'actions', elements }] }).content,
    'Down\n[Open](https://a.example/1)\n[Open](https://a.example/1) · [Log \\[7\\]](https://a.example/2)',
  )
  assertRejected('no_text', { blocks: [{ type: 'actions', elements: elements.slice(1, 3) }] })
})

test('moves text over 2000 characters to an embed, and truncates (webhooks/slack-conversion)', () => {
  assert.equal(parseSlackMessage({ text: 'x'.repeat(2000) }).content.length, 2000)
  const moved = parseSlackMessage({ text: 'x'.repeat(2001) })
  assert.deepEqual([moved.content, moved.embeds], ['', [{ description: 'x'.repeat(2001) }]])
  const long = parseSlackMessage({ text: '😀'.repeat(5000) }).embeds[0]?.description ?? ''
  assert.equal(codePoints(long), 4096)
  assert.ok(long.endsWith('…'))
  const full = Array.from({ length: 10 }, () => ({ text: 'x' }))
  const crowded = parseSlackMessage({ text: 'x'.repeat(3000), attachments: full })
  assert.deepEqual([crowded.content.length, crowded.embeds.length], [2000, 10])
  assert.equal(parseSlackMessage({ text: 'x', username: 'y'.repeat(200) }).username?.length, 80)
})

test('truncates between grapheme clusters (limits/whole-clusters)', () => {
  const family = '👨‍👩‍👧‍👦'
  const long = parseSlackMessage({ text: family.repeat(1000), attachments: [{ title: '🇩🇪'.repeat(200) }] })
  assert.match(long.embeds[0]?.description ?? '', new RegExp(`^(?:${family})+…$`))
  assert.match(long.embeds[1]?.title ?? '', /^(?:🇩🇪)+…$/)
})

test('truncates every text and list to the limits of embeds', () => {
  const huge = 'é😀'.repeat(50_000)
  const attachment = {
    title: huge,
    text: huge,
    author_name: huge,
    footer: huge,
    fields: Array.from({ length: 100 }, () => ({ title: huge, value: huge })),
    blocks: Array.from({ length: 20 }, () => ({
      type: 'image',
      image_url: 'https://a.example/x.png',
      title: { type: 'plain_text', text: huge },
    })),
  }
  const { embeds } = parseSlackMessage({
    text: huge,
    attachments: Array.from({ length: 10 }, () => attachment),
  })
  assert.deepEqual(checkEmbeds(embeds).violations, [])
  assert.equal(embeds.length, 10)
})
