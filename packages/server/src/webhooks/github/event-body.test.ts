import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEvent } from './event-body.ts'

const mebibyte = 1024 * 1024

test('other requests run while the names of changed files are removed (webhooks/github-size)', async () => {
  for (const [name, files, lists] of [
    ['one name of quotes', `"${'\\"'.repeat(2 * mebibyte)}"`, 1],
    ['many names', `${'"a",'.repeat(mebibyte)}"a"`, 1],
    ['many lists', '"a"', 15_000],
  ] as const) {
    const commits = Array.from({ length: lists }, () => `{"added":[${files}]}`)
    let turns = 0
    let next = setImmediate(function count() {
      turns++
      next = setImmediate(count)
    })
    const body = Buffer.from(`{"commits":[${commits}]}`)
    const event = await parseEvent(body).finally(() => clearImmediate(next))
    assert.deepEqual(event, { commits: commits.map(() => ({ added: [] })) }, name)
    assert.ok(turns >= 15, `${name}: ${turns} turns of the event loop`)
  }
})
