import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import { markdownRules } from './markdown-rules.ts'

/** What stands in the page before the client's own parts draw links and mentions. */
function html(text: string, everyone = false): string {
  return renderToStaticMarkup(createElement(ReactMarkdown, markdownRules(everyone), text))
}

test('bold, italic, struck, code, quotes and lists are drawn', () => {
  assert.equal(
    html('**a** *b* ~~c~~ `d`'),
    '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>',
  )
  assert.equal(html('**~~a~~** ~~ b ~~'), '<p><strong><del>a</del></strong> ~~ b ~~</p>')
  assert.equal(html('> quoted').replaceAll('\n', ''), '<blockquote><p>quoted</p></blockquote>')
  assert.equal(html('- a\n- b').replaceAll('\n', ''), '<ul><li>a</li><li>b</li></ul>')
})

test('what is nested is drawn nested', () => {
  assert.equal(html('**bold *and italic***'), '<p><strong>bold <em>and italic</em></strong></p>')
  assert.equal(
    html('> - **a**\n>   - `b`').replaceAll('\n', ''),
    '<blockquote><ul><li><strong>a</strong><ul><li><code>b</code></li></ul></li></ul></blockquote>',
  )
})

test('HTML stays the text that it is', () => {
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

test('a link leads by http, https or mail, and nowhere else', () => {
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

test('a picture is never loaded: it would tell its owner who reads', () => {
  for (const text of [
    '![a](https://evil.example/track.png)',
    '![a][1]\n\n[1]: https://evil.example/track.png',
    '[![a](https://evil.example/track.png)](https://example.org)',
  ])
    assert.doesNotMatch(html(text), /<img|src=/, text)
})

test('a definition elsewhere in the text does not change where a link leads', () => {
  assert.doesNotMatch(
    html('[a][1] *x*\n\n[1]: https://evil.example'),
    /href="https:\/\/evil.example"[^>]*>a</,
  )
})

test('bare addresses become links, without the end of the sentence', () => {
  assert.equal(
    html('see https://example.org/a_(b), *x*'),
    '<p>see <a href="https://example.org/a_(b)">https://example.org/a_(b)</a>, <em>x</em></p>',
  )
})

test('in code nothing is a link, a mention or Markdown', () => {
  assert.equal(html('`**a** https://example.org`'), '<p><code>**a** https://example.org</code></p>')
  assert.equal(
    html('```js\nconst a = "<@1234567890123456789>" // *x*\n```').replaceAll('\n', ''),
    '<pre><code class="language-js">const a = &quot;&lt;@1234567890123456789&gt;&quot; // *x*</code></pre>',
  )
  assert.doesNotMatch(html('    four spaces are no code'), /<pre>/)
})

test('mentions are marked for the client to draw; everyone only where everyone was notified', () => {
  assert.match(html('*x* <@1234567890123456789>'), /<span kind="user" value="1234567890123456789">/)
  assert.match(html('*x* <#1234567890123456789>'), /<span kind="channel"/)
  assert.doesNotMatch(html('*x* @everyone'), /<span/)
  assert.match(html('*x* @everyone', true), /<span kind="everyone" value="@everyone">/)
})

test('a line break is one, and a line of dashes under a text makes no title of it', () => {
  assert.equal(html('*a*\nb'), '<p><em>a</em><br/>b</p>')
  assert.doesNotMatch(html('text\n---'), /<h2/)
})

test('a text that is made to be slow or deep is drawn all the same', () => {
  for (const text of [
    '*'.repeat(2000),
    '['.repeat(2000),
    `${'> '.repeat(900)}x`,
    '`'.repeat(1999),
    '_a'.repeat(999),
    '~~a'.repeat(660),
  ])
    assert.ok(html(text).length > 0)
})
