import assert from 'node:assert/strict'
import test from 'node:test'
import { closeBlocks } from './markdown-lines.ts'

test('ends a list and a block quote at the first line that is not part of it', () => {
  assert.equal(
    closeBlocks('Labels:\n - a = 1\n - b = 2\nAnnotations:\n - c'),
    'Labels:\n - a = 1\n - b = 2\n\nAnnotations:\n - c',
  )
  assert.equal(closeBlocks('1. a\n2) b\nc'), '1. a\n2) b\n\nc')
  assert.equal(closeBlocks('> q\n> r\ns'), '> q\n> r\n\ns')
  assert.equal(closeBlocks('> q\n- a\n> r'), '> q\n\n- a\n\n> r')
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
    assert.equal(closeBlocks(same), same)
  assert.equal(
    closeBlocks('- a\n```\nb\n```'),
    '- a\n\n```\nb\n```',
    'a code block without indentation is not part of the list',
  )
  for (const code of ['```one```', '- ```\n  a\n  ```'])
    assert.equal(closeBlocks(`${code}\n- a\nb`), `${code}\n- a\n\nb`, 'the code ends before the list')
})
