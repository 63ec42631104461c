import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderInline, renderMarkdown, renderText } from './markdown.ts'

const render = (source: string) => renderMarkdown(source).html.text

test('HTML is shown as text, and comments are omitted', () => {
  assert.equal(render('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
  assert.equal(render('a <b onclick="x">c</b>'), '<p>a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt;</p>')
  assert.equal(render('<!-- a file -->\n\ntext'), '<p>text</p>')
  assert.equal(renderInline('`<a>` & <i>').text, '<code>&lt;a&gt;</code> &amp; &lt;i&gt;')
  assert.equal(renderText('a "quoted" <text>').text, '<p>a &quot;quoted&quot; &lt;text&gt;</p>')
})

test('a link with a dangerous or unknown target is its text', () => {
  assert.equal(render('[a](javascript:alert(1))'), '<p>a</p>')
  assert.equal(render('[a](//elsewhere.example)'), '<p>a</p>')
  assert.equal(render('[a](data:text/html,x)'), '<p>a</p>')
  assert.equal(render('[a](https://example.org/?b&c)'), '<p><a href="https://example.org/?b&amp;c">a</a></p>')
  const { html } = renderMarkdown('[a](missing.md)', { linkOf: () => undefined })
  assert.equal(html.text, '<p>a</p>')
})

test('a table has a head, rows, and cells with code that contains a bar', () => {
  const source = '| a | b |\n| --- | :-: |\n| `x \\| y` | [c](#d) **e** |\n| <i> | |'
  assert.equal(
    render(source),
    '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
      '<tbody><tr><td><code>x | y</code></td><td><a href="#d">c</a> <strong>e</strong></td></tr>' +
      '<tr><td>&lt;i&gt;</td><td></td></tr></tbody></table></div>',
  )
  assert.equal(render('| no table |'), '<p>| no table |</p>')
})

test('lists, code, quotes and headings have their elements', () => {
  assert.equal(render('3. a\n4. b'), '<ol class="list" start="3"><li>a</li><li>b</li></ol>')
  assert.equal(
    render('- a\n\n  ```sh\n  b < c\n  ```'),
    '<ul class="list"><li><p>a</p><pre tabindex="0" lang="en"><code data-language="sh">b &lt; c</code></pre></li></ul>',
  )
  assert.equal(render('> a\n\n---'), '<blockquote><p>a</p></blockquote><hr>')
  const { html, headings } = renderMarkdown('## Without the `SDK`?\n\nText *here*.\n\n| a |\n| - |\n| cell |')
  assert.match(html.text, /^<h2 id="without-the-sdk">Without the <code>SDK<\/code>\?<\/h2>/)
  assert.deepEqual(headings, [
    { id: 'without-the-sdk', depth: 2, text: 'Without the SDK?', content: ' Text here. a cell' },
  ])
})
