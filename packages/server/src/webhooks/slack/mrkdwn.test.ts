import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMentions } from '@gatehouse/protocol/mentions'
import fc from 'fast-check'
import { decodeTitle, mrkdwnToMarkdown } from './mrkdwn.ts'

function assertConverted(
  cases: readonly (readonly [string, string])[],
  convert: (text: string) => string,
): void {
  for (const [slack, markdown] of cases) assert.equal(convert(slack), markdown, slack)
}

test('converts bold, italics and strikethrough, and escapes other marks (webhooks/text-as-sent)', () => {
  assertConverted(
    [
      ['*bold* _slanted_ ~struck~', '**bold** _slanted_ ~~struck~~'],
      ['*two words* and *more*', '**two words** and **more**'],
      ['(*a*), *b*!', '(**a**), **b**!'],
      ['2*3*4 and a * b * c', '2\\*3\\*4 and a \\* b \\* c'],
      ['**already** ~~so~~ __so__', '\\*\\*already\\*\\* \\~\\~so\\~\\~ \\_\\_so\\_\\_'],
      ['*not\nover lines*', '\\*not\nover lines\\*'],
      ['*bold _both_* snake_case', '**bold _both_** snake_case'],
      ['`*code*` ```\n*code*\n``` *bold*', '`*code*`\n```\n*code*\n```\n**bold**'],
      ['* item\n- item\n1. item', '\\* item\n\\- item\n1\\. item'],
      ['*<https://a.example/*x*|a>*', '**[a](https://a.example/*x*)**'],
    ],
    mrkdwnToMarkdown,
  )
})

test('code with several lines has lines of its own, without a language (webhooks/slack-conversion)', () => {
  assertConverted(
    [
      ['*Log:* ```error: *x*\nat y()```\n*z*', '**Log:**\n```\nerror: *x*\nat y()\n```\n**z**'],
      ['```error\nat y()```', '```\nerror\nat y()\n```'],
      ['&gt; ```a\n&gt; b &lt; c```', '> ```\n> a\n> b < c\n> ```'],
      ['```\na\n```', '```\na\n```'],
      ['a ```*b*``` *c*', 'a ```*b*``` **c**'],
      ['`List<String>` ```a\n# b```# c', '`List<String>`\n```\na\n# b\n```\n\\# c'],
    ],
    mrkdwnToMarkdown,
  )
})

test('a quote has a space, which it needs not on Slack (webhooks/slack-conversion)', () => {
  assertConverted(
    [
      ['&gt;a\n>b', '> a\n> b'],
      ['&gt; &gt;a', '> > a'],
      ['&gt;&gt;&gt;a\nb', '>>> a\nb'],
    ],
    mrkdwnToMarkdown,
  )
})

test('converts links with and without a label', () => {
  assertConverted(
    [
      ['<https://a.example>', 'https://a.example'],
      ['<https://a.example|https://a.example>', 'https://a.example'],
      ['<https://a.example|>', 'https://a.example'],
      ['<https://a.example/?a=1&amp;b=2|see &lt;here&gt;>', '[see <here>](https://a.example/?a=1&b=2)'],
      ['<http://host:8000/x|x>', '[x](http://host:8000/x)'],
      ['<https://people.example/~ann/a_b>', 'https://people.example/~ann/a_b'],
      ['<https://x.example/?a=~b&amp;amp;y=~>', '<https://x.example/?a=~b&amp;y=~>'],
      ['<https://a.example/x>です <https://a.example/y>.', '<https://a.example/x>です https://a.example/y.'],
      ['<https://a.example/(x)|y>', '[y](https://a.example/%28x%29)'],
      ['<mailto:bob@a.example|bob@a.example>', 'bob@a.example'],
      ['<mailto:bob@a.example>', 'bob@a.example'],
      ['`<https://a.example|a>`', '`a`'],
      [':red_circle: <https://a.example|*Type*Error*>', '🔴 **[Type\\*Error](https://a.example)**'],
    ],
    mrkdwnToMarkdown,
  )
})

test('shows links as they were sent that are not http or https (webhooks/slack-unsafe-links)', () => {
  for (const text of [
    '<javascript:alert(1)|click>',
    '<JaVaScRiPt:alert(1)|click>',
    '<data:text/html,x|x>',
    '<vbscript:x>',
  ]) {
    assert.equal(mrkdwnToMarkdown(text), `\\${text}`)
  }
  const text = 'a < b > c <List|Map> <!doctype html> <> <|>'
  assert.equal(mrkdwnToMarkdown(text), text)
})

test('escapes the label of a link, so that it cannot begin another link (webhooks/slack-link-text)', () => {
  assert.equal(mrkdwnToMarkdown('<http://a|b](http://evil)>'), '[b\\](http://evil)](http://a)')
  assert.equal(mrkdwnToMarkdown('<http://a|b\\](http://evil)>'), '[b\\\\\\](http://evil)](http://a)')
})

test('converts commands to text, and escaped mentions do not become mentions (webhooks/slack-mentions)', () => {
  assertConverted(
    [
      ['<!channel> <!here|here> <!everyone>', '@channel @here @everyone'],
      ['<!subteam^S012|@ops> <!date^1700000000^{date}|14 Nov>', '@ops 14 Nov'],
      ['<@U024BE7LH|bob> <@U024BE7LH> <#C024BE7LR|general> <#C1>', '@bob @U024BE7LH #general #C1'],
      ['<@1234567890123456789> <#1234567890123456789>', '<@1234567890123456789> <#1234567890123456789>'],
      ['&lt;!channel&gt; &amp;lt;', '<!channel> &lt;'],
      ['&lt;@1234567890123456789&gt;', '\\<\\@1234567890123456789>'],
      ['5 &lt; 6 &amp; 7 &gt; 6', '5 < 6 & 7 > 6'],
    ],
    mrkdwnToMarkdown,
  )
  assert.deepEqual(parseMentions(mrkdwnToMarkdown('&lt;@1234567890123456789&gt; &lt;!channel&gt;')), {
    users: [],
    roles: [],
    everyone: false,
  })
})

test('escaped mentions in text and in labels do not become mentions (webhooks/slack-mentions)', () => {
  const id = '1234567890123456789'
  const mention = `&lt;@${id}&gt;`
  const role = `&lt;@&amp;${id}&gt;`
  for (const text of [
    mrkdwnToMarkdown(mention),
    mrkdwnToMarkdown(role),
    mrkdwnToMarkdown(`<https://a.example|${mention}>`),
    mrkdwnToMarkdown(`<@U1|${mention}> <!date^1^{date}|${role}>`),
  ]) {
    assert.deepEqual(parseMentions(text), { users: [], roles: [], everyone: false }, text)
  }
})

test('decodes entities and references of titles, but not emphasis', () => {
  assertConverted(
    [
      ['*a* &amp; ~b~', '*a* & ~b~'],
      ['see <https://a.example|here> or <https://b.example>', 'see here or https://b.example'],
      [
        'List<String|Int> &amp;lt; &lt;@1234567890123456789&gt;',
        'List<String|Int> &lt; <@1234567890123456789>',
      ],
    ],
    decodeTitle,
  )
})

test('converts any text in linear time', () => {
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
      assert.equal(typeof mrkdwnToMarkdown(parts.join('')), 'string')
    }),
    { seed: 47, numRuns: 2000 },
  )
  for (const piece of ['<', '*a', '~<', '`', '``` ', '<a|', '*<a', '&lt;', '<!']) {
    // The processor time, because other processes may delay this one.
    const before = process.cpuUsage()
    mrkdwnToMarkdown(piece.repeat(24_000 / piece.length))
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 1_000_000, piece)
  }
})

test('replaces emoji names except in URLs, code and words', () => {
  assert.equal(mrkdwnToMarkdown(':rocket::tada: *:+1: done*'), '🚀🎉 **👍 done**')
  assert.equal(mrkdwnToMarkdown('<https://a.example/:key:/|:key: it>'), '[🔑 it](https://a.example/:key:/)')
  assert.equal(decodeTitle(':warning: Disk &amp; :key:'), '⚠️ Disk & 🔑')
  for (const unchanged of ['`:key:`', 'a:key:b', '12:10:30', ':our-own:', 'std::move::x', ':warning', '::'])
    assert.equal(mrkdwnToMarkdown(unchanged), unchanged)
})
