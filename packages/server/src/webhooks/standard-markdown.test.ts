import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertStandardMarkdown as convert } from './standard-markdown.ts'

test('removes comments, HTML tags, images and task lists', () => {
  for (const [source, expected] of [
    ['<!-- Thank you! -->\r\n## What\nA <!-- not\nthis --> bell', '## What\nA  bell'],
    ['before <!-- never closed', 'before'],
    ['<details><summary>More</summary>\n\nhidden\n\n</details>', 'More\n\nhidden'],
    ['one<br/>two <img src="https://a.example/x.png" alt="x">', 'onetwo'],
    ['![shot](https://a.example/x.png)', '[shot](https://a.example/x.png)'],
    [
      '- [x] done\n* [ ] not yet\n- [link](https://a.example)',
      '- ☑ done\n* ☐ not yet\n- [link](https://a.example)',
    ],
    ['a\n\n\n \n\nb', 'a\n\nb'],
    ['>a\n>>b\n> > c\n+ d\n1) e', '> a\n> > b\n> > c\n- d\n1. e'],
    [
      '1 < 2, a <b.c>, <https://a.example>, List<String>',
      '1 < 2, a <b.c>, <https://a.example>, List<String>',
    ],
  ] as const)
    assert.equal(convert(source), expected)
})

test('decodes entities, and escapes what is text on GitHub', () => {
  for (const [source, expected] of [
    ['a&nbsp;b &amp; c &lt;b&gt; &quot;d&quot; &#42; &#x1F680;', 'a\u00a0b & c \\<b\\> "d" \\* 🚀'],
    ['&amp;lt; &unknown; &#0; &#xD800; &#9999999;', '&lt; &unknown; &#0; &#xD800; &#9999999;'],
    ['a || b || c', 'a \\|\\| b \\|\\| c'],
    ['`&lt; ||`', '`&lt; ||`'],
  ] as const)
    assert.equal(convert(source), expected)
})

test('copies code unchanged', () => {
  for (const code of ['`<!-- x --> <div> ![a](b)`', '```html\n<div>\n<!-- x -->\n- [ ] y\n```', '```\n<p>'])
    assert.equal(convert(code), code)
})

test('converts 20,000 repeated markers', () => {
  for (const mark of ['<!--', '<a ', '\n', '\n ', '`', '```', '- [', '!['])
    assert.ok(convert(`x${mark.repeat(20_000 / mark.length)}`).length <= 20_001)
})
