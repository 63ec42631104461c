import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMentions } from '@gatehouse/protocol/mentions'
import fc from 'fast-check'
import { fromMarkup, fromPlain } from './markup.ts'

function each(cases: readonly (readonly [string, string])[], convert: (text: string) => string): void {
  for (const [slack, markdown] of cases) assert.equal(convert(slack), markdown, slack)
}

test('emphasis: bold and struck are doubled, the rest is the same in both', () => {
  each(
    [
      ['*bold* _slanted_ ~struck~', '**bold** _slanted_ ~~struck~~'],
      ['*two words* and *more*', '**two words** and **more**'],
      ['(*a*), *b*!', '(**a**), **b**!'],
      ['2*3*4 and a * b * c', '2*3*4 and a * b * c'],
      ['**already** ~~so~~', '**already** ~~so~~'],
      ['*not\nover lines*', '*not\nover lines*'],
      ['`*code*` ```\n*code*\n``` *bold*', '`*code*` ```\n*code*\n``` **bold**'],
      ['* item\n* item', '* item\n* item'],
      ['*<https://a.example/*x*|a>*', '**[a](https://a.example/*x*)**'],
    ],
    fromMarkup,
  )
})

test('links: an address, or words for one', () => {
  each(
    [
      ['<https://a.example>', 'https://a.example'],
      ['<https://a.example|https://a.example>', 'https://a.example'],
      ['<https://a.example|>', 'https://a.example'],
      ['<https://a.example/?a=1&amp;b=2|see &lt;here&gt;>', '[see <here>](https://a.example/?a=1&b=2)'],
      ['<http://host:8000/x|x>', '[x](http://host:8000/x)'],
      ['<https://a.example/(x)|y>', '[y](https://a.example/%28x%29)'],
      ['<mailto:bob@a.example|bob@a.example>', 'bob@a.example'],
      ['<mailto:bob@a.example>', 'bob@a.example'],
      ['`<https://a.example|a>`', '`a`'],
    ],
    fromMarkup,
  )
})

test('check 12: what is no http address stays as it was written', () => {
  for (const text of [
    '<javascript:alert(1)|click>',
    '<JaVaScRiPt:alert(1)|click>',
    '<data:text/html,x|x>',
    '<vbscript:x>',
    '<>',
    '<|>',
    '< https>',
    'a < b > c <',
  ]) {
    assert.equal(fromMarkup(text), text)
  }
})

test('check 13: nothing in the words of a link ends it and begins another', () => {
  assert.equal(fromMarkup('<http://a|b](http://evil)>'), '[b\\]\\(http://evil\\)](http://a)')
  assert.equal(fromMarkup('<http://a|b\\](http://evil)>'), '[b\\\\\\]\\(http://evil\\)](http://a)')
})

test('check 11: commands are words, and what was written out is no mention', () => {
  each(
    [
      ['<!channel> <!here|here> <!everyone>', '@channel @here @everyone'],
      ['<!subteam^S012|@ops> <!date^1700000000^{date}|14 Nov>', '@ops 14 Nov'],
      ['<@U024BE7LH|bob> <@U024BE7LH> <#C024BE7LR|general> <#C1>', '@bob @U024BE7LH #general #C1'],
      ['<@1234567890123456789> <#1234567890123456789>', '<@1234567890123456789> <#1234567890123456789>'],
      ['&lt;!channel&gt; &amp;lt;', '<\u200b!channel> &lt;'],
      ['&lt;@1234567890123456789&gt;', '<\u200b@1234567890123456789>'],
      ['5 &lt; 6 &amp; 7 &gt; 6', '5 < 6 & 7 > 6'],
    ],
    fromMarkup,
  )
  assert.deepEqual(parseMentions(fromMarkup('&lt;@1234567890123456789&gt; &lt;!channel&gt;')), {
    users: [],
    roles: [],
    everyone: false,
  })
})

test('plain text: entities and brackets, no emphasis', () => {
  each(
    [
      ['*a* &amp; ~b~', '*a* & ~b~'],
      ['see <https://a.example|here> or <https://b.example>', 'see here or https://b.example'],
    ],
    fromPlain,
  )
})

test('any text is converted, in time that grows with its length', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '|',
    '*',
    '_',
    '~',
    '`',
    '```',
    '&lt;',
    '&amp;',
    '@',
    '!',
    'a',
    ' ',
    '\n',
    'http://a',
    ']',
    '(',
    ')',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), parts => {
      assert.equal(typeof fromMarkup(parts.join('')), 'string')
    }),
    { seed: 47, numRuns: 2000 },
  )
  for (const piece of ['<', '*a', '~<', '`', '``` ', '<a|', '*<a', '&lt;', '<!']) {
    const started = performance.now()
    fromMarkup(piece.repeat(24_000 / piece.length))
    assert.ok(performance.now() - started < 1000, piece)
  }
})

test('emoji that are written as names become signs, but not in addresses, code and words', () => {
  assert.equal(fromMarkup(':rocket::tada: *:+1: done*'), '🚀🎉 **👍 done**')
  assert.equal(fromMarkup('<https://a.example/:key:/|:key: it>'), '[🔑 it](https://a.example/:key:/)')
  assert.equal(fromPlain(':warning: Disk &amp; :key:'), '⚠️ Disk & 🔑')
  for (const same of ['`:key:`', 'a:key:b', '12:10:30', ':our-own:', 'std::move::x', ':warning', '::'])
    assert.equal(fromMarkup(same), same)
})
