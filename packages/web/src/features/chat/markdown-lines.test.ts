import assert from 'node:assert/strict'
import test from 'node:test'
import { adaptBlocks } from './markdown-lines.ts'

test('ends a list and a block quote at the first line that is not part of it', () => {
  assert.equal(
    adaptBlocks('Labels:\n - a = 1\n - b = 2\nAnnotations:\n - c'),
    'Labels:\n - a = 1\n - b = 2\n\nAnnotations:\n - c',
  )
  assert.equal(adaptBlocks('1. a\n2. b\nc'), '1. a\n2. b\n\nc')
  assert.equal(adaptBlocks('> q\n> r\ns'), '> q\n> r\n\ns')
  assert.equal(adaptBlocks('> q\n- a\n> r'), '> q\n\n- a\n\n> r')
})

test('does not change continued blocks and code', () => {
  for (const same of [
    '- a\n  more of it\n- b',
    '- a\n  - b\n    - c',
    '- a\n\nb',
    'text\nmore',
    '```\n- a\nb\n> c\nd\n```',
    '- a\n  ```\nb\n  ```',
    '````\n```\n- a\nb\n````',
    '- ```\n  - a\n  ```',
    '',
  ])
    assert.equal(adaptBlocks(same), same)
  assert.equal(
    adaptBlocks('- a\n```\nb\n```'),
    '- a\n\n```\nb\n```',
    'a code block without indentation is not part of the list',
  )
  for (const code of ['```one```', '- ```\n  a\n  ```'])
    assert.equal(adaptBlocks(`${code}\n- a\nb`), `${code}\n- a\n\nb`, 'the code ends before the list')
})

test('escapes the marks of blocks that Discord does not have', () => {
  for (const [typed, adapted] of [
    ['>_<', '\\>_<'],
    ['> >_<', '> \\>_<'],
    ['>', '\\>'],
    ['+ a', '\\+ a'],
    ['- + a', '- \\+ a'],
    ['1) a', '1\\) a'],
    ['007. a', '007\\. a'],
    ['2026.', '2026\\.'],
    ['-', '\\-'],
    ['* * *', '\\* * *'],
    ['- - -', '\\- - -'],
    ['> a\n>\n> b', '> a\n>\n> b'],
  ] as const)
    assert.equal(adaptBlocks(typed), adapted)
  for (const code of [
    '```\n>_<\n+ a\n```',
    '> ```\n> + a\n> >x\n> ```',
    `\`\`\`\n${'> '.repeat(12)}\n\`\`\``,
  ])
    assert.equal(adaptBlocks(code), code)
})

test('quotes the rest of the text after >>>', () => {
  assert.equal(adaptBlocks('a\n>>> b\nc\n\n- d'), 'a\n\n> b\n> c\n> \n> - d')
  assert.equal(adaptBlocks('>>> a\n>>> b'), '\n> a\n> \\>>> b')
  assert.equal(adaptBlocks('>>>a'), '\\>>>a')
})
