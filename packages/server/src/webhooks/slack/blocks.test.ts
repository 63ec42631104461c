import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@gatehouse/protocol/json-object'
import { renderBlocks } from './blocks.ts'

function render(...blocks: JsonObject[]): { text: string; dropped: string[] } {
  const dropped = new Set<string>()
  const { text } = renderBlocks(blocks, dropped)
  return { text, dropped: [...dropped] }
}

const richText = (...elements: JsonObject[]) => ({ type: 'rich_text', elements })
const section = (...elements: JsonObject[]) => ({ type: 'rich_text_section', elements })
const words = (text: string, style?: object) => ({ type: 'text', text, ...(style ? { style } : {}) })

function renderInline(...elements: JsonObject[]): string {
  return render(richText(section(...elements))).text
}

/** Asserts the Markdown of inline elements of rich text. */
function assertInline(...cases: readonly (readonly [elements: readonly JsonObject[], expected: string])[]) {
  for (const [elements, expected] of cases)
    assert.equal(renderInline(...elements), expected, JSON.stringify(elements))
}

test('renders the styles of rich text (webhooks/slack-rich-text)', () => {
  assertInline(
    [
      [
        words('plain '),
        words('bold', { bold: true }),
        words(' and '),
        words('both ', { bold: true, italic: true }),
        words('x'),
      ],
      'plain **bold** and ***both*** x',
    ],
    [
      [words('gone', { strike: true }), words(', '), words('all', { bold: true, strike: true })],
      '~~gone~~, **~~all~~**',
    ],
    [
      [
        words('run '),
        words('npm `ci`', { code: true }),
        words(' in '),
        words('*a*', { code: true, bold: true }),
      ],
      'run `` npm `ci` `` in **`*a*`**',
    ],
  )
})

test('renders links in rich text (webhooks/slack-rich-text)', () => {
  assertInline(
    [
      [
        { type: 'link', url: 'https://a.example/x', text: 'see [1]' },
        words(' '),
        { type: 'link', url: 'https://b.example' },
      ],
      '[see \\[1\\]](https://a.example/x) https://b.example',
    ],
    [
      [{ type: 'link', url: 'https://a.example', text: 'log', style: { bold: true, strike: true } }],
      '**~~[log](https://a.example)~~**',
    ],
    [
      [
        { type: 'link', url: 'javascript:1', text: 'run' },
        { type: 'link', url: 'mailto:a@b.example' },
      ],
      'runa@b.example',
    ],
  )
})

test('renders emoji and colors in rich text (webhooks/slack-rich-text)', () => {
  assertInline(
    [
      [
        { type: 'emoji', name: 'wave', unicode: '1f44b-1f3fd' },
        { type: 'emoji', name: 'book' },
        { type: 'emoji', name: 'ours' },
      ],
      '👋🏽📖:ours:',
    ],
    [[{ type: 'emoji', name: '+1', skin_tone: 2 }], '👍🏻'],
    [[{ type: 'color', value: '#F405B3' }], '#F405B3'],
  )
})

test('renders mentions in rich text (webhooks/slack-rich-text)', () => {
  const user = '1234567890123456789'
  assertInline(
    [
      [
        { type: 'user', user_id: 'U1' },
        words(' '),
        { type: 'user', user_id: user },
        words(' '),
        { type: 'channel', channel_id: 'C1' },
      ],
      `@U1 <@${user}> #C1`,
    ],
    [
      [
        { type: 'usergroup', usergroup_id: 'S1' },
        words(' '),
        { type: 'broadcast', range: 'here' },
        words(' '),
        { type: 'team', team_id: 'T1' },
      ],
      '@S1 @here @T1',
    ],
  )
})

test('renders dates in rich text (webhooks/slack-rich-text)', () => {
  assertInline(
    [
      [
        {
          type: 'date',
          timestamp: 1720710212,
          format: 'On {date_num} at {time}, {ago}',
          fallback: 'July 11',
        },
      ],
      'On <t:1720710212:d> at <t:1720710212:t>, <t:1720710212:R>',
    ],
    [
      [
        {
          type: 'date',
          timestamp: 1720710212,
          format: '{date}',
          url: 'https://a.example',
          fallback: 'July 11',
        },
      ],
      '[July 11](https://a.example)',
    ],
    [[{ type: 'date', timestamp: 'soon', fallback: 'July 11' }], 'July 11'],
  )
})

test('escapes the text of rich text that would be Markdown (webhooks/slack-rich-text)', () => {
  assertInline(
    [
      [words('# no heading\n'), words('- no list\n'), words('1'), words('. no list')],
      '\\# no heading\n\\- no list\n1\\. no list',
    ],
    // Without a word boundary, Markdown would show the marks.
    [[words('a'), words('"b"', { bold: true }), words('c')], 'a"b"c'],
    [[words('a', { bold: true }), words('b', { italic: true })], '**a**b'],
  )
})

test('renders lists, quotes and code of rich text (webhooks/slack-rich-text)', () => {
  const list = (style: string, items: string[], more: object = {}) => ({
    type: 'rich_text_list',
    style,
    elements: items.map(item => section(words(item))),
    ...more,
  })
  const { text, dropped } = render(
    richText(
      section(words('Steps:\n')),
      list('ordered', ['build', '# test']),
      list('bullet', ['fast', 'two\nlines'], { indent: 1 }),
      list('ordered', ['deploy'], { offset: 2 }),
      { type: 'rich_text_quote', elements: [words('first\n> second')] },
      {
        type: 'rich_text_preformatted',
        elements: [words('$ a *b*\n```\n'), { type: 'link', url: 'https://a.example' }],
      },
    ),
  )
  assert.equal(
    text,
    [
      'Steps:',
      '1. build',
      '2. \\# test',
      '    - fast',
      '    - two',
      '        lines',
      '3. deploy',
      '> first',
      '> \\> second',
      '````',
      '$ a *b*',
      '```',
      'https://a.example',
      '````',
    ].join('\n'),
  )
  assert.deepEqual(dropped, [])
})

test('renders markdown blocks and tables (webhooks/slack-conversion)', () => {
  const raw = (text: string) => ({ type: 'raw_text', text })
  assert.equal(
    render({ type: 'markdown', text: '# Title\n**bold** &amp; [a](https://a.example)\n- [x] done' }).text,
    '# Title\n**bold** & [a](https://a.example)\n- ☑ done',
  )
  assert.equal(
    render({
      type: 'table',
      rows: [
        [raw('Name'), raw('Uses *')],
        [richText(section({ type: 'link', url: 'https://a.example', text: 'db1' })), raw('97 %')],
        [raw('snake_case'), richText(section(words('a\nb', { bold: true })))],
      ],
    }).text,
    '**Name** | **Uses \\***\n[db1](https://a.example) | 97 %\nsnake_case | **a** **b**',
  )
})

test('shows the text or fallback of what is unknown, and names it (webhooks/slack-unknown-blocks)', () => {
  const { text, dropped } = render(
    { type: 'alert', text: { type: 'plain_text', text: 'Disk *full*' } },
    { type: 'notice', text: { type: 'mrkdwn', text: '*Load* &gt; <https://a.example|4>' } },
    { type: 'card', fallback: '# 2 of 3' },
    { type: 'video', title: 'x' },
    richText(section(words('by '), { type: 'later', text: 'bob' }), {
      type: 'rich_text_later',
      fallback: 'end',
    }),
    { type: 'actions', elements: [{ type: 'button', text: 'Press' }, { type: 'static_select' }] },
    { type: 'image', slack_file: { id: 'F1' }, alt_text: 'a graph' },
    { type: 'context', elements: [{ type: 'image', image_url: 'https://a.example/i.png' }] },
  )
  assert.equal(text, 'Disk \\*full\\*\n**Load** > [4](https://a.example)\n\\# 2 of 3\nby bob\nend\na graph')
  assert.deepEqual(dropped, [
    'alert',
    'notice',
    'card',
    'video',
    'rich_text/later',
    'rich_text/rich_text_later',
    'actions/button',
    'actions/static_select',
    'image',
    'context/image',
  ])
})

test('renders any rich text in linear time', () => {
  for (const text of ['*', '~', ' \n', '`', '<', '1. ', '> ', '\\', ']', '_a']) {
    const before = process.cpuUsage()
    for (const style of [{}, { bold: true, strike: true }, { code: true }])
      renderInline(...Array.from({ length: 2000 }, () => words(text.repeat(20), style)))
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 2_000_000, text)
  }
})
