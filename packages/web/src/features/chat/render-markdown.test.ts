import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMentions } from '@gatehouse/protocol/mentions'
import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { type ElementRenderers, renderMarkdown } from './render-markdown.ts'
import { hostileTexts } from './testing.ts'

const renderers: ElementRenderers = {
  link: (href, _text, children) => createElement('a', { href }, children),
  spoiler: (children, isBlock) =>
    createElement('span', { className: isBlock ? 'block' : undefined }, children),
  token: token => createElement('mark', { 'data-token': JSON.stringify(token) }),
}

function markup(text: string, everyone = false): string {
  return renderToStaticMarkup(renderMarkdown(text, { everyone, renderers }))
}

/** Without directions, which have a test of their own. */
function html(text: string, everyone = false): string {
  return markup(text, everyone).replace(/ dir="(?:auto|ltr)"/g, '')
}

test('renders bold, italic, strikethrough, code, block quotes and lists', () => {
  assert.equal(
    html('**a** *b* ~~c~~ `d`'),
    '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>',
  )
  assert.equal(html('**~~a~~** ~~ b ~~'), '<p><strong><del>a</del></strong> ~~ b ~~</p>')
  assert.equal(html('> quoted'), '<blockquote><p>quoted</p></blockquote>')
  assert.equal(html('- a\n- b'), '<ul><li>a</li><li>b</li></ul>')
})

test('renders nested elements', () => {
  assert.equal(html('**bold *and italic***'), '<p><strong>bold <em>and italic</em></strong></p>')
  assert.equal(
    html('> - **a**\n>   - `b`'),
    '<blockquote><ul><li><strong>a</strong><ul><li><code>b</code></li></ul></li></ul></blockquote>',
  )
})

test('renders HTML as text', () => {
  for (const text of [
    '<script>alert(1)</script> *x*',
    '<img src=x onerror=alert(1)> *x*',
    '<div onclick="alert(1)">\n*x*\n</div>',
    '<iframe src="//evil.example"></iframe> *x*',
    '<style>*{display:none}</style> *x*',
  ]) {
    const out = html(text)
    assert.doesNotMatch(out, /<(?:script|img|div|iframe|style)/, text)
    assert.match(out, /&lt;/, text)
  }
})

test('renders links with the schemes http, https and mailto only', () => {
  assert.equal(html('[a](https://example.org/x)'), '<p><a href="https://example.org/x">a</a></p>')
  assert.equal(html('[a](mailto:a@example.org)'), '<p><a href="mailto:a@example.org">a</a></p>')
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java&#x0A;script:alert(1)',
    '&#106;avascript:alert(1)',
    '%6Aavascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    '//evil.example',
    '/logout',
  ]) {
    assert.doesNotMatch(html(`[a](${address})`), /href="[^"]/, address)
    assert.doesNotMatch(html(`<${address}>`), /href="[^"]/, address)
  }
})

test('does not render images, because loading them reveals the reader', () => {
  for (const text of [
    '![a](https://evil.example/track.png)',
    '![a][1]\n\n[1]: https://evil.example/track.png',
    '[![a](https://evil.example/track.png)](https://example.org)',
  ])
    assert.doesNotMatch(html(text), /<img|src=/, text)
})

test('ignores link definitions', () => {
  assert.doesNotMatch(
    html('[a][1] *x*\n\n[1]: https://evil.example'),
    /href="https:\/\/evil.example"[^>]*>a</,
  )
})

test('renders URLs as links, without the punctuation of the sentence', () => {
  assert.equal(
    html('see https://example.org/a_(b), *x*'),
    '<p>see <a href="https://example.org/a_(b)">https://example.org/a_(b)</a>, <em>x</em></p>',
  )
})

test('a URL is one link, also if it contains characters of Markdown', () => {
  const link = (url: string) => `<a href="${url}">${url}</a>`.replaceAll('&', '&amp;')
  for (const path of ['_next_/x', '*/a/*/b', '**/x/**/y', '[a]_(b)', '?a=_1_&b']) {
    const url = `https://a.example/${path}`
    assert.equal(html(`see ${url}, *x*`), `<p>see ${link(url)}, <em>x</em></p>`)
    assert.equal(html(`(${url}) **${url}**`), `<p>(${link(url)}) <strong>${link(url)}</strong></p>`)
    assert.equal(
      html(`**a ${url}** b ~~${url}~~`),
      `<p><strong>a ${link(url)}</strong> b <del>${link(url)}</del></p>`,
    )
  }
  assert.equal(html('_https://a.example/b_c_'), `<p><em>${link('https://a.example/b_c')}</em></p>`)
  assert.equal(
    html('[https://a.example/_x_/](https://b.example/_y_)'),
    '<p><a href="https://b.example/_y_">https://a.example/_x_/</a></p>',
  )
  assert.equal(html('<https://a.example/_x_>'), `<p>${link('https://a.example/_x_')}</p>`)
  assert.equal(html('https://a.example/\\_x\\_/y'), `<p>${link('https://a.example/_x_/y')}</p>`)
  assert.equal(html('`https://a.example/_x_/y`'), '<p><code>https://a.example/_x_/y</code></p>')
})

test('renders no links, mentions and Markdown in code', () => {
  assert.equal(html('`**a** https://example.org`'), '<p><code>**a** https://example.org</code></p>')
  assert.equal(
    html('```js\nconst a = "<@1234567890123456789>" // *x*\n```'),
    '<pre><code class="language-js">const a = &quot;&lt;@1234567890123456789&gt;&quot; // *x*</code></pre>',
  )
  assert.doesNotMatch(html('    four spaces are no code'), /<pre>/)
})

test('renders code with several lines as a block, wherever its fences are', () => {
  assert.equal(
    html('Failed\n```error: disk full\nat write()```\n**Runbook**: [open](https://a.example/r)'),
    '<p>Failed</p><pre><code>error: disk full\nat write()</code></pre>' +
      '<p><strong>Runbook</strong>: <a href="https://a.example/r">open</a></p>',
  )
  assert.equal(
    html('```\nlog line```\n**after**'),
    '<pre><code>log line</code></pre><p><strong>after</strong></p>',
  )
  assert.equal(
    html('*Log:* ```line 1\nline 2``` *x*'),
    '<p><em>Log:</em></p><pre><code>line 1\nline 2</code></pre><p><em>x</em></p>',
  )
  assert.equal(html('```js\na```'), '<pre><code class="language-js">a</code></pre>')
  assert.equal(html('````\n```\na\n```\n````'), '<pre><code>```\na\n```</code></pre>')
  assert.equal(html('```a\n```` b```'), '<pre><code class="language-a">```` b</code></pre>')
  assert.equal(
    html('- x ```a b\n  c```\n- y\nz'),
    '<ul><li>x<pre><code>a b\nc</code></pre></li><li>y</li></ul><p>z</p>',
  )
  assert.equal(html('> ```a b\n> c```'), '<blockquote><pre><code>a b\nc</code></pre></blockquote>')
})

test('renders code on one line', () => {
  assert.equal(
    html('```one```\n- a\nb'),
    '<p><code>one</code></p><ul><li>a</li></ul><p>b</p>',
    'the code ends before the list',
  )
})

test('renders as code only what the service sees as code, in which no mention notifies', () => {
  const id = '1234567890123456789'
  for (const [text, notifies] of [
    ['```\n<@ID>\n```', false],
    ['x ```<@ID>``` y', false],
    ['```\n<@ID>', true],
    ['```js\n<@ID>\n``', true],
    ['``````\n<@ID>', true],
    ['~~~\n<@ID>\n~~~', true],
    ['> - ~~~\n>   <@ID>', true],
    ['`a\n<@ID>`', true],
    ['x ```\n``` y\n<@ID>', true],
  ] as const) {
    const content = text.replace('ID', id)
    assert.equal(parseMentions(content).users.includes(id), notifies, text)
    assert.equal(html(content).includes('<mark'), notifies, text)
  }
  assert.equal(html('```\n*a*\n\nb'), '<p>```<br/><em>a</em></p><p>b</p>')
  assert.equal(html('a ```b\n*c*'), '<p>a ```b<br/><em>c</em></p>')
  assert.equal(html('~~~ *a*\n`b`'), '<p>~~~ <em>a</em><br/><code>b</code></p>')
})

test('passes mentions to the renderers; @everyone only if the message notified everyone', () => {
  const mark = (value: unknown) =>
    renderToStaticMarkup(createElement('mark', { 'data-token': JSON.stringify(value) }))
  const id = '1234567890123456789'
  assert.equal(html(`*x* <@${id}>`), `<p><em>x</em> ${mark({ kind: 'user', id })}</p>`)
  assert.equal(html(`**<#${id}>**`), `<p><strong>${mark({ kind: 'channel', id })}</strong></p>`)
  assert.equal(html('*x* @everyone'), '<p><em>x</em> @everyone</p>')
  assert.equal(
    html('*x* @everyone', true),
    `<p><em>x</em> ${mark({ kind: 'everyone', text: '@everyone' })}</p>`,
  )
  assert.equal(
    html('[@everyone](https://example.org)', true),
    '<p><a href="https://example.org/">@everyone</a></p>',
  )
})

test('renders a line break, and no heading from a line of dashes', () => {
  assert.equal(html('*a*\nb'), '<p><em>a</em><br/>b</p>')
  assert.equal(html('*a*  \nb'), '<p><em>a</em><br/>b</p>')
  assert.doesNotMatch(html('text\n---'), /body-heading/)
})

test('renders headings and ordered lists', () => {
  assert.equal(html('## a *b*'), '<p class="body-heading">a <em>b</em></p>')
  assert.equal(html('1. a\n2. b'), '<ol><li>a</li><li>b</li></ol>')
  assert.equal(html('7. a\n\n8. b'), '<ol start="7"><li><p>a</p></li><li><p>b</p></li></ol>')
})

test('renders underline and subtext, and only three levels of headings (community/discord-markdown)', () => {
  assert.equal(
    html('__a__ **b** _c_ ___d___'),
    '<p><u>a</u> <strong>b</strong> <em>c</em> <em><u>d</u></em></p>',
  )
  assert.equal(html('**__a__** snake__case__name'), '<p><strong><u>a</u></strong> snake__case__name</p>')
  assert.equal(html('[__a__](https://a.example)'), '<p><a href="https://a.example/"><u>a</u></a></p>')
  assert.equal(html('a\n-# b *c*\nd'), '<p>a</p><p class="body-subtext">b <em>c</em></p><p>d</p>')
  assert.equal(html('> -# b'), '<blockquote><p class="body-subtext">b</p></blockquote>')
  for (const text of ['-#b', '-#', '#### b', '#b', '-## b', '\\-# b'])
    assert.equal(html(text), `<p>${text.replace('\\', '')}</p>`)
  assert.equal(html('- # a'), '<ul><li><p class="body-heading">a</p></li></ul>')
})

test('shows as typed what is a block in Markdown and not on Discord (community/text-as-typed)', () => {
  for (const typed of [
    '>_< so much for today',
    '>:(',
    '>.>',
    '>be me',
    '---',
    '---------',
    '***',
    '* * *',
    '- - -',
    '___',
    '+ agree',
    '1) a',
    '007. a',
    '2026.',
    '-',
    '¯\\_(ツ)_/¯',
    '^_^ and ^_^',
    '-_- and -_-',
  ])
    assert.equal(textOf(html(typed)), typed)
  assert.equal(html('**¯\\_(ツ)_/¯**'), '<p><strong>¯\\_(ツ)_/¯</strong></p>')
  assert.equal(html('a\n>.<\nb'), '<p>a<br/>&gt;.&lt;<br/>b</p>')
  assert.equal(html('above\n\n---\n\nbelow'), '<p>above</p><p>---</p><p>below</p>')
})

test('renders block quotes of several lines (community/discord-markdown)', () => {
  assert.equal(html('>>> one\ntwo\n\nthree'), '<blockquote><p>one<br/>two</p><p>three</p></blockquote>')
  assert.equal(
    html('a\n>>> b\n```\n> c\n```\n- d'),
    '<p>a</p><blockquote><p>b</p><pre><code>&gt; c</code></pre><ul><li>d</li></ul></blockquote>',
  )
  assert.equal(html('> a\n>\n> b'), '<blockquote><p>a</p><p>b</p></blockquote>')
})

test('renders marks inside each other, also strikethrough (community/discord-markdown)', () => {
  for (const [typed, shown] of [
    ['~~**bold**~~', '<del><strong>bold</strong></del>'],
    ['**~~bold~~**', '<strong><del>bold</del></strong>'],
    ['~~*it* and plain~~', '<del><em>it</em> and plain</del>'],
    ['~~was `code` once~~', '<del>was <code>code</code> once</del>'],
    [
      '~~[text](https://shop.example/?example=~ex)~~',
      '<del><a href="https://shop.example/?example=~ex">text</a></del>',
    ],
    ['[~~a~~ __b__](https://a.example)', '<a href="https://a.example/"><del>a</del> <u>b</u></a>'],
    ['~~||a||~~ ||~~b~~||', '<del><span>a</span></del> <span><del>b</del></span>'],
    ['~~__a *b*__~~', '<del><u>a <em>b</em></u></del>'],
    ['***a** b* **c *d***', '<em><strong>a</strong> b</em> <strong>c <em>d</em></strong>'],
    ['*foo (*bar*)* **foo*bar**', '<em>foo (<em>bar</em>)</em> <strong>foo*bar</strong>'],
    ['~a~ ~~~b~~~ *a ~~b* c~~', '~a~ ~<del>b</del>~ <em>a ~~b</em> c~~'],
  ] as const)
    assert.equal(html(typed), `<p>${shown}</p>`)
})

test('renders emphasis beside punctuation of every script (community/discord-markdown)', () => {
  for (const [typed, shown] of [
    ['これは**「重要なこと」**です。', 'これは<strong>「重要なこと」</strong>です。'],
    ['这是**我想做的事。**所以继续。', '这是<strong>我想做的事。</strong>所以继续。'],
    ['**テスト。**テスト', '<strong>テスト。</strong>テスト'],
    ['*強調。*です', '<em>強調。</em>です'],
    ['~~取消。~~です', '<del>取消。</del>です'],
    [
      '中文*(test)*中文 이것은**(중요)**입니다',
      '中文<em>(test)</em>中文 이것은<strong>(중요)</strong>입니다',
    ],
    ['**Status:**OK', '<strong>Status:</strong>OK'],
    ['*👍*a', '<em>👍</em>a'],
    ['5*, 6*', '5*, 6*'],
    ['2 * 3 ** 4 * 5 ** 6', '2 * 3 ** 4 * 5 ** 6'],
  ] as const)
    assert.equal(html(typed), `<p>${shown}</p>`)
})

test('shows every word that was typed, whatever is around it (community/text-as-typed)', () => {
  const parts = [
    ...'*_~|`[]()<>#-+>!:=.^ \n',
    ...[
      '\n\n',
      '**',
      '__',
      '~~',
      '||',
      '```',
      '```\n',
      '~~~\n',
      '> ',
      '>>> ',
      '- ',
      '+ ',
      '* ',
      '1. ',
      '1) ',
    ],
    ...[
      '# ',
      '-# ',
      '---',
      '\n---\n',
      '\n===\n',
      '    ',
      '\t',
      '](',
      '[^1]: ',
      '[a]: ',
      '| - |',
      '<div>',
      '<!-- ',
    ],
    ...['&amp;', '\\', 'https://a.example/', '¯\\_(ツ)_/¯', '。', '「', 'の', '👩‍💻'],
  ]
  const text = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, between => {
      const typed = between.map((part, index) => `${part}w${index}x`).join('')
      const shown = html(typed)
      for (const index of between.keys())
        assert.ok(shown.includes(`w${index}x`), `w${index}x: ${typed}\n${shown}`)
    }),
    { seed: 48, numRuns: 3000 },
  )
})

test('reads marks in linear time', () => {
  const parts = [
    '*',
    '~',
    '_',
    '>',
    '[',
    '> ',
    '*a',
    'a*',
    '~~a',
    '*a _b ~~c ',
    '*~~_',
    '[*',
    '>>> a\n',
    '- - -\n',
  ]
  for (const part of parts) {
    const before = process.cpuUsage()
    html(part.repeat(9000 / part.length))
    const { user } = process.cpuUsage(before)
    assert.ok(user < 2_000_000, `${part}: ${user} microseconds`)
  }
})

test('blocks have the direction of their first strong letter, code has not (community/text-direction)', () => {
  const dirs = (text: string) =>
    Array.from(markup(text).matchAll(/<(\w+)(?: dir="(\w+)")?/g), ([, tag, dir = '']) =>
      `${tag} ${dir}`.trim(),
    )
  assert.deepEqual(dirs('שלום `./run.sh -v` עולם'), ['p auto', 'code ltr'])
  assert.deepEqual(dirs('# א\n-# ב\n\nג'), ['p auto', 'p auto', 'p auto'])
  assert.deepEqual(dirs('> ציטוט.\n>\n> b'), ['blockquote auto', 'p', 'p auto'])
  assert.deepEqual(dirs('- א\n- b'), ['ul auto', 'li', 'li auto'])
  assert.deepEqual(dirs('> 1. א\n> 2. b'), ['blockquote auto', 'ol', 'li', 'li auto'])
  assert.deepEqual(dirs('```\nא\n```'), ['pre ltr', 'code'])
})

test('renders spoilers around text, links, code, mentions and blocks (community/spoilers)', () => {
  assert.equal(html('a ||*b*|| c'), '<p>a <span><em>b</em></span> c</p>')
  assert.equal(html('**a ||b||**'), '<p><strong>a <span>b</span></strong></p>')
  assert.equal(html('~~a ||b||~~'), '<p><del>a <span>b</span></del></p>')
  assert.equal(
    html('||https://a.example/||'),
    '<p><span><a href="https://a.example/">https://a.example/</a></span></p>',
  )
  assert.equal(html('||`a || b`||'), '<p><span><code>a || b</code></span></p>')
  assert.match(html('||<@1234567890123456789>||'), /^<p><span><mark data-token=[^>]*><\/mark><\/span><\/p>$/)
  assert.equal(html('- ||a||\n- b'), '<ul><li><span>a</span></li><li>b</li></ul>')
  assert.equal(html('a ||b\n\nc|| d'), '<p>a</p><span class="block"><p>b</p><p>c</p></span><p>d</p>')
  assert.equal(
    html('||```js\na\n```||'),
    '<span class="block"><pre><code class="language-js">a</code></pre></span>',
  )
  assert.equal(html('||> a\n> b||'), '<span class="block"><blockquote><p>a<br/>b</p></blockquote></span>')
  assert.equal(
    html('[a ||b||](https://a.example)'),
    '<p><span><a href="https://a.example/">a b</a></span></p>',
  )
  assert.equal(html('[a](https://a.example/?||b||)'), '<p><a href="https://a.example/?||b||">a</a></p>')
  for (const text of ['a || b', '||||', '\ufdd00;'])
    assert.equal(html(text), `<p>${text.replace('\ufdd0', '\ufffd')}</p>`)
  assert.equal(html('`||a||` \\||b||'), '<p><code>||a||</code> ||b||</p>')
})

test('renders no link inside a link', () => {
  assert.equal(
    html('[**a** `b` https://example.com](https://example.org)'),
    '<p><a href="https://example.org/"><strong>a</strong> <code>b</code> https://example.com</a></p>',
  )
  assert.equal(html('[*a*](/logout) *x*'), '<p>[<em>a</em>](/logout) <em>x</em></p>')
})

test('shows blocks and emphasis beyond ten levels as they were typed', () => {
  const quotes = (count: number) => '<blockquote>'.repeat(count)
  assert.equal(html(`${'> '.repeat(10)}x`), `${quotes(10)}<p>x</p>${quotes(10).replaceAll('<', '</')}`)
  assert.equal(
    html(`${'> '.repeat(12)}*x*`),
    `${quotes(10)}<p>&gt; &gt; <em>x</em></p>${quotes(10).replaceAll('<', '</')}`,
  )
  assert.match(html(`${'1. '.repeat(999)}x`), /^(<ol><li>){10}(1\. ){989}x(<\/li><\/ol>){10}$/)
  assert.match(html(`${'- '.repeat(999)}x`), /^(<ul><li>){10}(- ){989}x(<\/li><\/ul>){10}$/)
  const lines = Array.from({ length: 12 }, (_, level) => `${'  '.repeat(level)}- *a*`)
  assert.match(html(lines.join('\n')), /<p>- \*a\*<br\/>\s*- \*a\*<\/p>/)
  assert.match(html('*a **b '.repeat(8) + ' c** d*'.repeat(8)), /^<p>(<(em|strong)>a? ?(b )?){10}\*a/)
})

test('shows each text within a bounded document (community/bounded-markdown)', () => {
  for (const text of hostileTexts(200, 4096)) {
    const { depth, nodes } = measure(html(text))
    assert.ok(
      depth <= 40 && nodes <= text.length + 1,
      `${depth} levels, ${nodes} elements: ${text.slice(0, 80)}`,
    )
  }
})

/** The depth and the number of elements of a document without void elements. */
function measure(markup: string): { depth: number; nodes: number } {
  let [depth, level, nodes] = [0, 0, 0]
  for (const [, slash, end] of markup.matchAll(/<(\/?)[a-z][^>]*?(\/?)>/g)) {
    if (slash === '') nodes += 1
    if (end === '') level += slash === '' ? 1 : -1
    depth = Math.max(depth, level)
  }
  return { depth, nodes }
}

test('shows entities as they were typed', () => {
  const typed = '&nbsp; &lt;b&gt; &amp;amp; &#60; &#x3c; &copy'
  const shown = typed.replaceAll('&', '&amp;')
  assert.equal(html(typed), `<p>${shown}</p>`)
  assert.equal(html(`**${typed}** \`${typed}\``), `<p><strong>${shown}</strong> <code>${shown}</code></p>`)
  assert.equal(html(`\`\`\`\n${typed}\n\`\`\``), `<pre><code>${shown}</code></pre>`)
  assert.equal(html(`[${typed}](https://a.example)`), `<p><a href="https://a.example/">${shown}</a></p>`)
  assert.equal(
    html('[a](https://a.example/?b&amp;c)'),
    '<p><a href="https://a.example/?b&amp;amp;c">a</a></p>',
  )
})

test('shows text as it was sent (community/text-as-typed)', () => {
  const special = [
    ...'\\`*_{}[]()<>#+-.!|~&:;=/"\'@?^$%,0 a',
    '&lt;',
    '&amp;',
    '&#42;',
    '||',
    '__',
    '-# ',
    '1. ',
    '# ',
  ]
  const word = fc.constantFrom(...special)
  const text = fc
    .array(word, { minLength: 1, maxLength: 40 })
    .map(words => words.join('').replace(/ +/g, ' ').trim())
    .filter(line => line !== '')
  // Punctuation after a backslash is text (CommonMark 0.31, section 2.4).
  const withBackslashes = (plain: string) => plain.replace(/[!-/:-@[-`{-~]/g, '\\$&')
  fc.assert(
    fc.property(text, plain => {
      assert.equal(textOf(html(withBackslashes(plain))), plain)
    }),
    { seed: 35, numRuns: 2000 },
  )
  const mention = '<@1234567890123456789>'
  for (const plain of [
    'no special characters: 1 + 1 = 2; 50% & more, e.g. "a"',
    'std::vector<xs:element>',
    'list[0](first)',
    'CORP\\\nb',
    '#',
    '#tag',
    '#### four',
    '# a #',
    '&nbsp;',
  ])
    assert.equal(textOf(html(plain)), plain.replace(/^# /, ''), plain)
  assert.equal(html(withBackslashes(mention)), '<p>&lt;@1234567890123456789&gt;</p>')
  assert.equal(
    html('\\<t:1:F> \\<:wave:1234567890123456789>'),
    '<p>&lt;t:1:F&gt; &lt;:wave:1234567890123456789&gt;</p>',
  )
})

function textOf(markup: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#x27': "'" }
  return markup
    .replace(/<br\/>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(#?\w+);/g, (_, name: string) => entities[name] ?? '')
}

test('gives a link its text without markup', () => {
  const texts: string[] = []
  const link: ElementRenderers['link'] = (_href, text) => {
    texts.push(text)
    return text
  }
  const markdown = '[**bank** `.example`](https://evil.example) <https://a.example> https://b.example/'
  renderToStaticMarkup(renderMarkdown(markdown, { everyone: false, renderers: { ...renderers, link } }))
  assert.deepEqual(texts, ['bank .example', 'https://a.example', 'https://b.example/'])
})
