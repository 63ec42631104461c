import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { checkImage } from './images.ts'

function bytesWith(...start: (string | number)[]): Uint8Array {
  const bytes = start.flatMap(part => (typeof part === 'number' ? [part] : [...Buffer.from(part, 'latin1')]))
  return new Uint8Array([...bytes, ...new Array<number>(32).fill(0)])
}

test('detects the format from the first bytes', () => {
  assert.equal(checkImage(bytesWith(0x89, 'PNG\r\n', 0x1a, '\n')).contentType, 'image/png')
  assert.equal(checkImage(bytesWith(0xff, 0xd8, 0xff, 0xe0)).contentType, 'image/jpeg')
  assert.equal(checkImage(bytesWith('GIF87a')).contentType, 'image/gif')
  assert.equal(checkImage(bytesWith('GIF89a')).contentType, 'image/gif')
  assert.equal(checkImage(bytesWith('RIFF', 1, 2, 3, 4, 'WEBP')).contentType, 'image/webp')
})

test('rejects all other formats', () => {
  const others = [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    '<!doctype html>',
    'GIF88a',
    'RIFF....WAVE',
    '%PDF-1.7',
  ]
  for (const other of [...others.map(text => bytesWith(text)), new Uint8Array(0), bytesWith(0x89, 'PNG\n')]) {
    assert.throws(
      () => checkImage(other),
      (error: unknown) => error instanceof AppError && error.errors?.[0]?.code === 'invalid_image',
    )
  }
})

test('accepts an image of 1 MiB and rejects one more byte', () => {
  const bytes = new Uint8Array(1024 * 1024 + 1)
  bytes.set(Buffer.from('GIF89a'))
  assert.equal(checkImage(bytes.subarray(0, -1)).contentType, 'image/gif')
  assert.throws(
    () => checkImage(bytes),
    (error: unknown) => error instanceof AppError && error.code === 'body_too_large',
  )
})
