import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitCode } from './code.ts'
import { escapeOtherFences, separateCode } from './code-blocks.ts'

function codeIn(text: string): string[] {
  const parts = splitCode(text)
  assert.equal(parts.map(part => part.text).join(''), text)
  return parts.filter(part => part.fence > 0).map(part => part.text)
}

function assertSeparated(cases: readonly (readonly [string, string])[], languages = true): void {
  for (const [text, separated] of cases) {
    assert.equal(separateCode(text, { languages }), separated, text)
    assert.equal(separateCode(separated, { languages }), separated, 'a second time changes nothing')
  }
}

test('finds code between two runs of as many backticks', () => {
  for (const code of [
    '`a`',
    '``a ` b``',
    '```a```',
    '```\na\n```',
    '```a\nb```',
    '```\na ```` b\n```',
    '````\n```\na\n```\n````',
  ]) {
    assert.deepEqual(codeIn(code), [code])
    assert.deepEqual(codeIn(`x ${code} y`), [code])
  }
  assert.deepEqual(codeIn('`a` ```b\nc``` `d`'), ['`a`', '```b\nc```', '`d`'])
})

test('code may begin and end with a backtick beside its fences', () => {
  assert.deepEqual(codeIn('```at\n`x````\n`y`'), ['```at\n`x````', '`y`'])
  assert.deepEqual(codeIn('````x` is\nbad``` y'), ['````x` is\nbad```'])
})

test('escaped and unclosed backticks, and one line without a second backtick, contain no code', () => {
  for (const text of ['\\`a`', '\\```a\nb```', '`a\nb`', '```a\nb', '`a``', '``````'])
    assert.deepEqual(codeIn(text), [], text)
  assert.deepEqual(codeIn('\\\\`a`'), ['`a`'])
  assert.deepEqual(codeIn('`C:\\` `b`'), ['`C:\\`', '`b`'])
})

test('puts the fences of code with several lines on lines of their own', () => {
  assertSeparated([
    ['```a b\nc```', '```\na b\nc\n```'],
    ['x ```a b\nc``` y', 'x\n```\na b\nc\n```\ny'],
    ['```\na``` `b` ```\nc```', '```\na\n```\n`b`\n```\nc\n```'],
    ['```\na\n```\r\nb', '```\na\n```\r\nb'],
    ['```a b\n`c````', '```\na b\n`c`\n```'],
    ['```at `x````', '```\nat `x`\n```'],
    ['````x` is\nbad```', '```\n`x` is\nbad\n```'],
    ['```\n  a\n\n  b\n\n```', '```\n  a\n\n  b\n\n```'],
  ])
})

test('only one word before more lines is a language', () => {
  assertSeparated([
    ['```js\na```', '```js\na\n```'],
    ['```c++\r\na\r\n```', '```c++\na\r\n```'],
    ['```js\n```', '```\njs\n```'],
    ['```js \na```', '```\njs \na\n```'],
    ['```error: disk full\na```', '```\nerror: disk full\na\n```'],
  ])
  assertSeparated([['```error\na```', '```\nerror\na\n```']], false)
})

test('code remains in its list or block quote', () => {
  assertSeparated([
    ['- x ```a b\nc``` y\n- z', '- x\n  ```\n  a b\n  c\n  ```\n  y\n- z'],
    ['1. ```js\n   a\n     b\n   ```', '1. ```js\n   a\n     b\n   ```'],
    ['> x ```a b\n> c```\ny', '> x\n> ```\n> a b\n> c\n> ```\ny'],
    ['> ```a b\nc```', '> ```\n> a b\n> c\n> ```'],
    ['> - ```a b\n>   c```', '> - ```\n>   a b\n>   c\n>   ```'],
  ])
})

test('does not change code on one line, empty code, and text without code', () => {
  for (const text of [
    'a ```b``` c',
    '```\n\n```',
    '``` ```',
    '``` ````',
    '```a\nb',
    '\\```a\nb```',
    '~~~\na\n~~~',
    '',
  ])
    assertSeparated([[text, text]])
})

test('escapes what is code in Markdown only', () => {
  for (const [text, escaped] of [
    ['```\na\n', '\\`\\`\\`\na\n'],
    ['`a\nb` `c`', '\\`a\nb` `c\\`'],
    ['x ```\n``` y', 'x \\`\\`\\`\n\\`\\`\\` y'],
    ['~~~\na\n~~~', '\\~~~\na\n\\~~~'],
    ['> 1. ~~~~ a', '> 1. \\~~~~ a'],
  ] as const) {
    assert.equal(escapeOtherFences(text), escaped)
    assert.equal(escapeOtherFences(escaped), escaped, 'a second time changes nothing')
  }
  for (const text of ['`a`', '```\n~~~\n```', 'a ~~~b', 'https://a.example/~~~b', '\\`a', '\\\\`a`', '']) {
    assert.equal(escapeOtherFences(text), text)
  }
})

test('takes linear time', () => {
  const growing = Array.from({ length: 140 }, (_, index) => `${'`'.repeat(index + 1)}a`).join(' ')
  const pieces = [
    '`',
    '``` ',
    '```a\n',
    '````a ',
    '\\',
    '\\`',
    '> ```a\n',
    '- ```a\nb```',
    '\n```',
    '``` \t',
    '- ',
    '~~~',
  ]
  for (const text of [growing, ...pieces.map(piece => piece.repeat(10_000))]) {
    // The processor time, because other processes may delay this one.
    const before = process.cpuUsage()
    escapeOtherFences(separateCode(text, { languages: true }))
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 1_000_000, text.slice(0, 12))
  }
  const deep = `${'> '.repeat(1000)}\`\`\`${'a\n'.repeat(1000)}\`\`\``
  assert.ok(separateCode(deep, { languages: true }).length < 20 * deep.length)
})
