import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../errors/app-error.ts'
import { parseMultipart } from './multipart.ts'

const type = 'multipart/form-data; boundary=xx'

function parse(text: string | Uint8Array, contentType = type): [string, string | undefined, string][] {
  return parseMultipart(Buffer.from(text), contentType).map(({ name, filename, value }) => [
    name,
    filename,
    Buffer.from(value).toString(),
  ])
}

function part(head: string, value: string): string {
  return `--xx\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
}

test('fields and files are parsed with quoted and unquoted names and their bytes', () => {
  const body = [
    part('name="a"', '1'),
    part('name=b', ''),
    part('name="c \\"d\\""', 'x\r\n--x\r\n'),
    part('name="f"; filename="a.txt"\r\nContent-Type: text/plain', 'y'),
    part('name="g"; filename=""', ''),
    '--xx--\r\n',
  ].join('')
  assert.deepEqual(parse(body), [
    ['a', undefined, '1'],
    ['b', undefined, ''],
    ['c "d"', undefined, 'x\r\n--x\r\n'],
    ['f', 'a.txt', 'y'],
    ['g', '', ''],
  ])
})

test('the preamble and the epilogue are ignored', () => {
  assert.deepEqual(parse(`before\r\n${part('name="a"', '1')}--xx--after`), [['a', undefined, '1']])
  assert.deepEqual(parse('--xx--'), [])
  assert.deepEqual(
    parse(
      part('name="a"', '1').replaceAll('xx', 'a b').concat('--a b--'),
      'multipart/form-data; boundary="a b"',
    ),
    [['a', undefined, '1']],
  )
})

test('webhooks/multipart-body: a body that is truncated, too large, or without a boundary or name is 400', () => {
  const whole = `${part('name="a"', '1')}--xx--`
  for (const [body, contentType] of [
    [whole, 'multipart/form-data'],
    [whole, 'multipart/form-data; boundary='],
    [whole, 'multipart/form-data; boundary=yy'],
    ['', type],
    [part('name="a"', '1'), type],
    [part('name="a"', '1').slice(0, -3), type],
    [whole.replaceAll('\r\n', '\n'), type],
    [`${part('', '1')}--xx--`, type],
    [`${part('name="a"', '1').repeat(101)}--xx--`, type],
    [`${part(`name="${'a'.repeat(9000)}"`, '1')}--xx--`, type],
    ['--xx\r\n\r\n1\r\n--xx--', type],
    ['--xxContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--xx--', type],
  ] as const) {
    assert.throws(
      () => parse(body, contentType),
      error => error instanceof AppError && error.status === 400,
      body.slice(0, 60),
    )
  }
})

test('any fields are parsed as they were serialized', () => {
  const text = fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\r\n--xx'))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z_[\]]{1,20}$/), text)), fields => {
      const body = `${fields.map(([name, value]) => part(`name="${name}"`, value)).join('')}--xx--`
      assert.deepEqual(
        parse(body),
        fields.map(([name, value]) => [name, undefined, value]),
      )
    }),
    { seed: 41 },
  )
})

test('any bytes are either parsed or rejected with 400', () => {
  const pieces = fc.constantFrom(
    '--xx',
    '\r\n',
    '--',
    'Content-Disposition: form-data; name="a"',
    '\0',
    'é',
    '"',
    ';',
    '=',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
      try {
        parse(parts.join(''))
      } catch (error) {
        assert.ok(error instanceof AppError && error.status === 400)
      }
    }),
    { seed: 41, numRuns: 1000 },
  )
})
