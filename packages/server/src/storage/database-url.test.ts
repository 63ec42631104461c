import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePostgresUrl } from './database-url.ts'

test('a URL with one host is passed to the driver as it is', () => {
  for (const url of [
    'postgres://u:p%40@db:6432/g?sslmode=require',
    'postgres:///g',
    'postgresql://[::1]/g',
  ]) {
    assert.equal(parsePostgresUrl(url).url, url)
    assert.equal(parsePostgresUrl(url).needsPrimary, false)
  }
})

test('several hosts are separated by commas, and one of them accepts writes', () => {
  assert.deepEqual(
    parsePostgresUrl('postgres://u:p@a,b:6432/g?target_session_attrs=read-write&sslmode=require'),
    {
      url: 'postgres://u:p@a/g?sslmode=require',
      hosts: [
        { host: 'a', port: 5432 },
        { host: 'b', port: 6432 },
      ],
      needsPrimary: true,
    },
  )
  assert.equal(parsePostgresUrl('postgres://a,b/g').needsPrimary, true)
  assert.equal(parsePostgresUrl('postgres://a/g?target_session_attrs=read-write').needsPrimary, true)
})

test('a target without writes and a malformed host are rejected, without the password', () => {
  for (const url of [
    'postgres://u:secret@a,b/g?target_session_attrs=standby',
    'postgres://u:secret@a,,b/g',
    'postgres://u:secret@a:x/g',
  ])
    assert.throws(
      () => parsePostgresUrl(url),
      (error: Error) => /DATABASE_URL/.test(error.message) && !error.message.includes('secret'),
      url,
    )
})
