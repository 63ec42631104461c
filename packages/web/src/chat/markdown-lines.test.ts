import assert from 'node:assert/strict'
import test from 'node:test'
import { endBlocks } from './markdown-lines.ts'

test('a list and a quote end at the first line that is none', () => {
  assert.equal(
    endBlocks('Labels:\n - a = 1\n - b = 2\nAnnotations:\n - c'),
    'Labels:\n - a = 1\n - b = 2\n\nAnnotations:\n - c',
  )
  assert.equal(endBlocks('1. a\n2) b\nc'), '1. a\n2) b\n\nc')
  assert.equal(endBlocks('> q\n> r\ns'), '> q\n> r\n\ns')
  assert.equal(endBlocks('> q\n- a\n> r'), '> q\n\n- a\n\n> r')
})

test('what goes on is left as it is, and so is code', () => {
  for (const same of [
    '- a\n  more of it\n- b',
    '- a\n  - b\n    - c',
    '- a\n\nb',
    'text\nmore',
    '```\n- a\nb\n> c\nd\n```',
    '- a\n  ```\nb\n  ```',
    '',
  ])
    assert.equal(endBlocks(same), same)
  assert.equal(
    endBlocks('- a\n```\nb\n```'),
    '- a\n\n```\nb\n```',
    'a block of code at the margin is none of the list',
  )
})
