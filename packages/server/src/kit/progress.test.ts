import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './progress.ts'

/** What is written if the given number of rows is reached at the given milliseconds. */
function write(isTTY: boolean, steps: readonly (readonly [number, number])[], total = 1_000_000): string[] {
  const written: string[] = []
  let time = 0
  const report = createProgress({ isTTY, write: text => written.push(text) }, () => time)
  for (const [at, rows] of steps) {
    time = at
    report({ action: 'Copied', rows, total })
  }
  return written
}

test('a line for each tenth, with the rate of this run and the remaining time', () => {
  const steps = [
    [0, 300_000],
    [1000, 350_000],
    [2000, 410_000],
    [3000, 490_000],
    [12_000, 1_000_000],
  ] as const
  assert.deepEqual(write(false, steps), [
    'Copied 410,000 of 1,000,000 rows, 41 %, 55,000 rows/s, 11 s left\n',
    'Copied 1,000,000 of 1,000,000 rows, 100 %, 58,333 rows/s\n',
  ])
})

test('a bar on a terminal, redrawn ten times a second', () => {
  const steps = [
    [0, 1000],
    [50, 2000],
    [100, 100_000],
    [60_100, 200_000],
    [60_110, 1_000_000],
  ] as const
  assert.deepEqual(write(true, steps), [
    '\r\x1b[K[..............................] Copied 1,000 of 1,000,000 rows, 0 %',
    '\r\x1b[K[###...........................] Copied 100,000 of 1,000,000 rows, 10 %, 990,000 rows/s, 1 s left',
    '\r\x1b[K[######........................] Copied 200,000 of 1,000,000 rows, 20 %, 3,311 rows/s, 4 min left',
    '\r\x1b[K[##############################] Copied 1,000,000 of 1,000,000 rows, 100 %, 16,620 rows/s\n',
  ])
})

test('a copy without rows', () => {
  assert.deepEqual(write(false, [[0, 0]], 0), ['Copied 0 of 0 rows, 100 %\n'])
})
