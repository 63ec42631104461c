import assert from 'node:assert/strict'
import { test } from 'node:test'
import { body } from './body.ts'

const of = (text: string) => body({ body: text })

test('what only GitHub shows is left out of what people write there', () => {
  for (const [written, shown] of [
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
    [
      '1 < 2, a <b.c>, <https://a.example>, List<String>',
      '1 < 2, a <b.c>, <https://a.example>, List<String>',
    ],
  ] as const)
    assert.equal(of(written), shown)
})

test('code is left as it is', () => {
  for (const code of ['`<!-- x --> <div> ![a](b)`', '```html\n<div>\n<!-- x -->\n- [ ] y\n```', '```\n<p>'])
    assert.equal(of(code), code)
})

test('a long text of marks is read in no time', () => {
  for (const mark of ['<!--', '<a ', '\n', '\n ', '`', '```', '- [', '!['])
    assert.ok(of(`x${mark.repeat(20_000 / mark.length)}`).length <= 20_000)
})
