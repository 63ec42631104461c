import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { parseMentions } from '@gatehouse/protocol/mentions'
import fc from 'fast-check'
import { renderMarkdown } from '../../../web/src/features/chat/render-markdown.ts'
import { parseGithubEvent } from './github/github-message.ts'
import { parseSlackMessage } from './slack/slack-message.ts'

/** What begins something in Markdown, or looks like it, and what surrounds it. */
const pieces = [
  ...'\\*_~|`<>#+-=[](){}!&:;@.1a ',
  ...[
    '\n',
    '**',
    '__',
    '~~',
    '||',
    '```',
    '~~~',
    '---',
    '-# ',
    '# ',
    '> ',
    '>>> ',
    '- ',
    '1. ',
    '2) ',
    '* ',
    '+ ',
  ],
  ...[
    '](',
    '[x](http://a.example)',
    '![',
    '<@1234567890123456789>',
    '<#1234567890123456789>',
    '<t:1700000000:R>',
  ],
  ...[
    '<:name:1234567890123456789>',
    '<a@b.example>',
    '@everyone',
    '@here',
    '&lt;',
    '&amp;lt;',
    '&nbsp;',
    '&#42;',
  ],
  ...[
    '\\\\server\\share',
    'CORP\\_backup',
    'tests/__init__',
    'snake_case',
    '# of failed checks',
    ':rocket:',
    'ж',
    '👩‍💻',
  ],
  'http://a.example',
  'https://b.example/x_y_z',
  ...['<b>', '</b>', '<!-- x -->', 'http', '\t', '\u00a0'],
]
const text = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
  .map(parts => parts.join(''))

/** Paragraphs, line breaks and spaces at the ends of lines do not count: Markdown joins and trims lines. */
function normalize(shown: string): string {
  return shown
    .split('\n')
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
}

/** What a reader sees of a message: all text, with a line break after each block. */
function visibleText(markdown: string): string {
  const renderers = {
    link: <Children>(_href: string, _text: string, children: Children) => children,
    token: (token: object) => `[${JSON.stringify(token)}]`,
    spoiler: () => '[spoiler]',
  }
  return textOf(renderMarkdown(markdown, { everyone: false, renderers }))
}

/** The text of a React element and its children. */
function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (!isJsonObject(node)) return typeof node === 'string' ? node : ''
  if (node.type === 'br') return '\n'
  const inner = isJsonObject(node.props) ? textOf(node.props.children) : ''
  const isBlock = typeof node.type === 'string' && /^(?:p|blockquote|ul|ol|li|pre|hr)$/.test(node.type)
  return isBlock ? `\n${inner}\n` : inner
}

/** Slack's rule for text: these three characters are entities. */
function encodeSlack(sent: string): string {
  return sent.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function contentOf(payload: object): string {
  const { content, embeds } = parseSlackMessage({ ...payload })
  return [
    content,
    ...embeds.flatMap(({ description, fields }) => [
      description,
      ...(fields ?? []).map(field => field.value),
    ]),
  ]
    .filter(part => part !== undefined && part !== '')
    .join('\n')
}

function descriptionOf(event: string, payload: object): string {
  return parseGithubEvent(event, { ...payload })?.embeds[0]?.description ?? ''
}

/** Each conversion of text that is no Markdown: what it makes of `sent`, and what a reader must see. */
const conversions: Readonly<Record<string, (sent: string) => { markdown: string; expected: string }>> = {
  'Slack, mrkdwn: false': sent => ({
    markdown: contentOf({ text: encodeSlack(sent), mrkdwn: false, attachments: [{ title: 't' }] }),
    expected: sent,
  }),
  'Slack, a section of plain text': sent => ({
    markdown: contentOf({
      blocks: [{ type: 'section', text: { type: 'plain_text', text: encodeSlack(sent) } }],
    }),
    expected: sent,
  }),
  'Slack, a header': sent => ({
    markdown: contentOf({
      blocks: [{ type: 'header', text: { type: 'plain_text', text: encodeSlack(sent) } }],
    }),
    expected: sent.trim().replaceAll('\n', ' '),
  }),
  'Slack, the fallback of an attachment': sent => ({
    markdown: contentOf({ attachments: [{ fallback: encodeSlack(sent) }] }),
    expected: sent,
  }),
  'Slack, the text of an unknown block': sent => ({
    markdown: contentOf({ blocks: [{ type: 'later', text: sent }] }),
    expected: sent,
  }),
  'Slack, rich text': sent => ({
    markdown: contentOf({
      blocks: [
        {
          type: 'rich_text',
          elements: [
            { type: 'rich_text_section', elements: [...sent].map(part => ({ type: 'text', text: part })) },
          ],
        },
      ],
    }),
    expected: sent,
  }),
  'Slack, bold rich text in a list': sent => ({
    markdown: contentOf({
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: [
                {
                  type: 'rich_text_section',
                  elements: [{ type: 'text', text: sent, style: { bold: true } }],
                },
              ],
            },
          ],
        },
      ],
    }),
    expected: sent,
  }),
  'Slack, code in rich text': sent => ({
    markdown: contentOf({
      blocks: [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: `x${sent}x` }] }],
        },
      ],
    }),
    expected: `x${sent}x`,
  }),
  'GitHub, the description of a status': sent => ({
    markdown: descriptionOf('status', { state: 'failure', description: sent }),
    expected: sent,
  }),
  'GitHub, the description of a deployment': sent => ({
    markdown: descriptionOf('deployment_status', {
      deployment_status: { state: 'failure', description: sent },
    }),
    expected: sent,
  }),
  'GitHub, the title of a check': sent => ({
    markdown: descriptionOf('check_run', {
      action: 'completed',
      check_run: { conclusion: 'failure', output: { title: sent } },
    }),
    expected: sent,
  }),
  'GitHub, the subject and author of a commit': sent => {
    const [subject = ''] = sent.trim().split('\n', 1)
    const commits = [{ id: 'abcdef0123', message: sent, author: { name: sent } }]
    return {
      markdown: descriptionOf('push', { ref: 'refs/heads/main', commits }),
      expected: `abcdef0 ${subject}${sent.trim() === '' ? '' : ` – ${sent.trim()}`}`,
    }
  },
  'GitHub, the title of a page': sent => ({
    markdown: descriptionOf('gollum', { pages: [{ title: sent, action: 'edited' }] }),
    expected: `edited: ${sent.trim()}`,
  }),
}

test('shows the text of mrkdwn without emphasis as it was sent (webhooks/text-as-sent)', () => {
  fc.assert(
    fc.property(text, sent => {
      // Without what is emphasis, code, an emoji or a quote on Slack.
      const plain = sent.replace(/[*_~`:]/g, '.').replace(/^[\s>]*/gm, '')
      fc.pre(plain.trim() !== '')
      const encoded = encodeSlack(plain)
      const markdown = contentOf({
        text: encoded,
        attachments: [{ text: encoded, fields: [{ value: encoded }] }],
      })
      assert.equal(normalize(visibleText(markdown)), normalize(`${plain}\n${plain}\n${plain}`), markdown)
    }),
    { seed: 35, numRuns: 1500 },
  )
})

test('copies text that the web client shows without Markdown (webhooks/text-as-sent)', () => {
  fc.assert(
    fc.property(text, sent => {
      const plain = sent.replaceAll(':', ';').trim()
      fc.pre(plain !== '')
      const encoded = encodeSlack(plain)
      const attachment = { title: encoded, footer: encoded, fields: [{ title: encoded, value: 'x' }] }
      const [embed] = parseSlackMessage({ attachments: [attachment] }).embeds
      assert.deepEqual([embed?.title, embed?.footer?.text, embed?.fields?.[0]?.name], [plain, plain, plain])
      const issue = { number: 7, title: sent }
      const [event] = parseGithubEvent('issues', { action: 'opened', issue })?.embeds ?? []
      assert.equal(event?.title, `Issue opened: #7 ${sent.trim()}`.trim())
    }),
    { seed: 35, numRuns: 500 },
  )
})

for (const [name, convert] of Object.entries(conversions)) {
  test(`shows text as it was sent (webhooks/text-as-sent): ${name}`, () => {
    fc.assert(
      fc.property(text, sent => {
        // Emoji names are converted everywhere on Slack.
        const unnamed = name.startsWith('Slack') ? sent.replaceAll(':', ';') : sent
        // Of a URL whose host may look like another, the client shows the form of the browser.
        fc.pre(unnamed.trim() !== '' && !/https?:\/\/\S*(?:[@\\]|\P{ASCII})/u.test(unnamed))
        const { markdown, expected } = convert(unnamed)
        assert.equal(
          normalize(visibleText(markdown)),
          normalize(expected),
          JSON.stringify({ unnamed, markdown }),
        )
        assert.deepEqual(parseMentions(markdown).users, [], markdown)
      }),
      { seed: 35, numRuns: 1500 },
    )
  })
}

/** The URLs of the links that a reader sees. */
function linksIn(markdown: string): string[] {
  const found: string[] = []
  const link = <Children>(href: string, _text: string, children: Children) => {
    found.push(href)
    return children
  }
  void renderMarkdown(markdown, { everyone: false, renderers: { link, token: () => '', spoiler: () => '' } })
  return found
}

test('a link leads to the whole URL, wherever the Slack format has text (webhooks/slack-links)', () => {
  for (const url of [
    'https://people.example/~ann/a_b',
    'https://x.example/?example=~ex&y=~',
    'https://x.example/~~a~~/b',
    'https://x.example/~/_a_/*b*/**/c',
    'https://x.example/a_',
    'https://x.example/a*',
    'https://x.example/a.',
    'https://x.example/会社「一」',
    'https://x.example/?a=&amp;b',
  ]) {
    const sent = url.replaceAll('&', '&amp;')
    const texts = [
      `<${sent}>`,
      `*<${sent}>*`,
      `_a <${sent}>_`,
      `~<${sent}>~`,
      `<${sent}|~label_>`,
      `「<${sent}>」`,
      `> <${sent}>です`,
    ]
    const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
    const link = { type: 'link', url }
    const styles = [{}, { strike: true }, { bold: true }, { italic: true }]
    const section = { type: 'rich_text_section', elements: [] as object[] }
    for (const style of styles) section.elements.push({ ...link, style }, { type: 'text', text: 'です ' })
    const button = { type: 'button', text: { type: 'plain_text', text: '~open_' }, url }
    for (const text of texts) {
      for (const payload of [
        { text },
        { attachments: [{ text }] },
        { attachments: [{ pretext: text }] },
        { attachments: [{ fields: [{ title: 'a', value: text }] }] },
        { blocks: [{ type: 'section', text: mrkdwn(text) }] },
        { blocks: [{ type: 'section', fields: [mrkdwn(text)] }] },
        { blocks: [{ type: 'context', elements: [mrkdwn(text)] }] },
      ])
        assert.deepEqual(linksIn(contentOf(payload)), [new URL(url).href], contentOf(payload))
    }
    for (const payload of [
      { blocks: [{ type: 'rich_text', elements: [section] }] },
      { blocks: [{ type: 'actions', elements: styles.map(() => button) }] },
    ])
      assert.deepEqual(
        linksIn(contentOf(payload)),
        styles.map(() => new URL(url).href),
        contentOf(payload),
      )
  }
})
