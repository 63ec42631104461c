import assert from 'node:assert/strict'
import test from 'node:test'
import { safeHref, safeImage } from './safe-url.ts'

test('safeHref rejects other schemes in any spelling', () => {
  for (const address of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a/b',
    '/relative',
    '//other.example',
    'not a link',
    '',
  ]) {
    assert.equal(safeHref(address), undefined, JSON.stringify(address))
  }
  assert.equal(safeHref('http://host:8000/x'), 'http://host:8000/x')
  assert.equal(safeHref('mailto:a@b.example'), 'mailto:a@b.example')
})

test('safeImage accepts https URLs and paths of the service', () => {
  assert.equal(safeImage('https://a.example/b.png'), 'https://a.example/b.png')
  assert.equal(safeImage('/images/1.png'), '/images/1.png')
  for (const address of [
    'http://a.example/b.png',
    '//a.example/b',
    '/\\a.example',
    'data:image/svg+xml,x',
    'x.png',
  ]) {
    assert.equal(safeImage(address), undefined, address)
  }
})
