import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import { codePoints } from '@gatehouse/protocol/text'
import { fromSlack } from './from-slack.ts'
import { SlackRefusal } from './refusal.ts'

function refusedWith(word: string, payload: object): void {
  assert.throws(
    () => fromSlack({ ...payload }),
    error => error instanceof SlackRefusal && error.word === word,
    JSON.stringify(payload),
  )
}

test('an attachment becomes a card, each member in its place (D47)', () => {
  const { content, embeds, name, avatar } = fromSlack({
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
        footer: 'prom',
        footer_icon: 'https://a.example/f.png',
        ts: 1_700_000_000,
      },
    ],
  })
  assert.deepEqual([content, name, avatar], ['top', 'monitor', 'https://a.example/i.png'])
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

test('check 44: colours and times in every spelling, never a reason to refuse', () => {
  const colorOf = (color: unknown) => fromSlack({ attachments: [{ text: 'x', color }] }).embeds[0]?.color
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
    assert.equal(colorOf(color), value, String(color))
  }
  const timeOf = (ts: unknown) => fromSlack({ attachments: [{ text: 'x', ts }] }).embeds[0]?.timestamp
  assert.equal(timeOf('1700000000'), '2023-11-14T22:13:20.000Z')
  assert.equal(timeOf(1_700_000_000.5), '2023-11-14T22:13:20.500Z')
  for (const ts of ['soon', '', null, 1e20, 1e13, {}, [], Number.NaN, true])
    assert.equal(timeOf(ts), undefined)
})

test('buttons of an attachment that open an address are links', () => {
  const actions = [
    { type: 'button', text: 'Run [book]', url: 'https://a.example/?a=1&b=2' },
    { type: 'button', text: 'x', url: 'javascript:1' },
    { type: 'button', text: 'press', name: 'p' },
    { type: 'button', url: 'https://b.example' },
  ]
  const { embeds } = fromSlack({ attachments: [{ text: 'x', actions }] })
  assert.equal(embeds[0]?.description, 'x\n[Run \\[book\\]](https://a.example/?a=1&b=2) · https://b.example')
})

test('check 14: addresses that are none are dropped', () => {
  const { embeds, avatar } = fromSlack({
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
  assert.deepEqual([embeds, avatar], [[{ title: 't', author: { name: 'a' } }], undefined])
})

test('check 44: what is null, empty or of another type is absent; fallback only where nothing else is', () => {
  assert.equal(fromSlack({ text: 'x', attachments: null, blocks: null }).content, 'x')
  assert.equal(fromSlack({ text: 5 }).content, '5')
  assert.deepEqual(fromSlack({ text: 'x', attachments: [{ fields: null, text: {} }] }).embeds, [])
  assert.deepEqual(fromSlack({ attachments: [{ fallback: 'plain', color: 'good' }] }).embeds, [
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
    refusedWith('no_text', payload)
  }
})

test('what cannot be a payload is refused: eleven attachments, a list that is none, U+0000', () => {
  refusedWith('invalid_payload', { attachments: Array.from({ length: 11 }, () => ({ text: 'x' })) })
  refusedWith('invalid_payload', { text: 'x', attachments: 'y' })
  refusedWith('invalid_payload', { text: 'x', attachments: [{ fields: {} }] })
  for (const text of ['a\u0000', '\ud800']) {
    refusedWith('invalid_payload', { text })
    refusedWith('invalid_payload', { username: text, text: 'x' })
    refusedWith('invalid_payload', { attachments: [{ fields: [{ title: 'a', value: text }] }] })
    refusedWith('invalid_payload', { blocks: [{ type: 'header', text: { type: 'plain_text', text } }] })
  }
})

test('check 44 and D47: blocks are rendered, unknown ones alone are nothing', () => {
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
  const { content, embeds } = fromSlack({ text: 'for a notification', blocks })
  assert.equal(
    content,
    '**Deploy *now***\n**done** [log](https://a.example)\n**Env**\nprod\nok\n———\nby bob · today',
  )
  assert.deepEqual(embeds, [
    { image: { url: 'https://a.example/a.png' } },
    { title: 'Graph', image: { url: 'https://a.example/b.png' } },
  ])
  assert.equal(fromSlack({ text: 'shown', blocks: [{ type: 'actions' }] }).content, 'shown')
  assert.deepEqual(fromSlack({ attachments: [{ color: 'good', blocks: blocks.slice(0, 1) }] }).embeds, [
    { description: '**Deploy *now***', color: 0x2eb67d },
  ])
  refusedWith('no_text', { blocks: [{ type: 'actions' }, { type: 'divider' }, { type: 7 }] })
})

test('buttons of blocks that open an address are links, others are nothing', () => {
  const button = (text: string, url?: string) => ({ type: 'button', text: { type: 'plain_text', text }, url })
  const elements = [
    button('Open', 'https://a.example/1'),
    button('Press'),
    button('Run', 'javascript:1'),
    button('Log [7]', 'https://a.example/2'),
  ]
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'Down' }, accessory: elements[0] }
  assert.equal(
    fromSlack({ blocks: [section, { type: 'actions', elements }] }).content,
    'Down\n[Open](https://a.example/1)\n[Open](https://a.example/1) · [Log \\[7\\]](https://a.example/2)',
  )
  refusedWith('no_text', { blocks: [{ type: 'actions', elements: elements.slice(1, 3) }] })
})

test('D47: text over 2000 goes into a card, over 4096 it is cut; names are cut to 80', () => {
  assert.equal(fromSlack({ text: 'x'.repeat(2000) }).content.length, 2000)
  const card = fromSlack({ text: 'x'.repeat(2001) })
  assert.deepEqual([card.content, card.embeds], ['', [{ description: 'x'.repeat(2001) }]])
  const long = fromSlack({ text: '😀'.repeat(5000) }).embeds[0]?.description ?? ''
  assert.equal(codePoints(long), 4096)
  assert.ok(long.endsWith('…'))
  const full = Array.from({ length: 10 }, () => ({ text: 'x' }))
  const crowded = fromSlack({ text: 'x'.repeat(3000), attachments: full })
  assert.deepEqual([crowded.content.length, crowded.embeds.length], [2000, 10])
  assert.equal(fromSlack({ text: 'x', username: 'y'.repeat(200) }).name?.length, 80)
})

test('whatever is too long or too much comes out within the limits of cards', () => {
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
  const { embeds } = fromSlack({ text: huge, attachments: Array.from({ length: 10 }, () => attachment) })
  assert.deepEqual(checkEmbeds(embeds).faults, [])
  assert.equal(embeds.length, 10)
})
