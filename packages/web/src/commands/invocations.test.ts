import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError } from '../api/client.ts'
import { createInvocations, patience } from './invocations.ts'

/** A service in hand: `answers` gives what each request gets, in turn; a clock that `pass` moves. */
function setUp(answers: unknown[]) {
  let now = 1_000_000
  let due: { at: number; work: () => void }[] = []
  const requests: { path: string; body?: unknown }[] = []
  const next = async (path: string, body?: unknown) => {
    requests.push({ path, body })
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const invocations = createInvocations({
    api: {
      get: async path => (await next(path)) as never,
      send: async (_method, path, body) => (await next(path, body)) as never,
    },
    timers: {
      after(ms, work) {
        const entry = { at: now + ms, work }
        due.push(entry)
        return () => {
          due = due.filter(other => other !== entry)
        }
      },
    },
    now: () => now,
  })
  const pass = async (ms: number) => {
    now += ms
    const ready = due.filter(entry => entry.at <= now)
    due = due.filter(entry => entry.at > now)
    for (const entry of ready) entry.work()
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  return { invocations, requests, pass, list: () => invocations.store.get() }
}

const command = { channelId: '1', commandId: '2', options: [] }
const button = { channelId: '1', messageId: '3', customId: 'go' }
const taken = { id: '77', state: 'pending', deadlineAt: '2026-01-01T00:00:03.000Z' }
const describe = () => 'refused'

test('a command waits, is answered, and its row goes with the message', async () => {
  const { invocations, list, requests } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice', name: 'roll' })
  assert.equal(list()[0]?.state, 'pending')
  assert.match(JSON.stringify(requests[0]?.body), /"type":"command"/)
  invocations.update({ id: '77', state: 'answered' })
  assert.equal(list()[0]?.state, 'answered')
  invocations.messageSeen('77')
  assert.equal(list().length, 0)
})

test('an answer whose message never shows takes its row away after a while', async () => {
  const { invocations, list, pass } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice' })
  invocations.update({ id: '77', state: 'answered' })
  await pass(patience.lingerMs)
  assert.equal(list().length, 0)
})

test('message and update may both come before the answer to the request', async () => {
  const { invocations, list } = setUp([taken, taken])
  const using = invocations.runCommand(command, { botName: 'Dice' })
  const nonce = list()[0]?.nonce ?? ''
  invocations.update({ id: '77', state: 'answered', nonce })
  assert.equal(list()[0]?.state, 'answered')
  invocations.messageSeen('77')
  await using
  assert.equal(list().length, 0)
})

test('an update that overtook the answer to the request is not undone by it', async () => {
  const { invocations, list } = setUp([taken])
  const using = invocations.runCommand(command, { botName: 'Dice' })
  invocations.update({ id: '77', state: 'failed', reason: 'not connected', nonce: list()[0]?.nonce ?? '' })
  await using
  assert.deepEqual([list()[0]?.state, list()[0]?.reason], ['failed', 'not connected'])
})

test('a time-out by the gateway stays as a notice until it is dismissed', async () => {
  const { invocations, list } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice' })
  invocations.update({ id: '77', state: 'timed_out' })
  assert.equal(list()[0]?.state, 'timed_out')
  invocations.dismiss(list()[0]?.nonce ?? '')
  assert.equal(list().length, 0)
})

test('without the gateway the client asks after the deadline', async () => {
  const { invocations, list, pass, requests } = setUp([taken, { id: '77', state: 'timed_out' }])
  await invocations.runCommand(command, { botName: 'Dice' })
  await pass(patience.deadlineMs)
  assert.equal(requests.length, 1)
  await pass(patience.graceMs)
  assert.equal(requests[1]?.path, '/api/interactions/77')
  assert.equal(list()[0]?.state, 'timed_out')
})

test('without any answer the person is told in the end', async () => {
  const offline = new ApiError(0, { code: 'network' })
  const { invocations, list, pass } = setUp([taken, ...Array.from({ length: patience.asks }, () => offline)])
  await invocations.runCommand(command, { botName: 'Dice' })
  await pass(patience.deadlineMs + patience.graceMs)
  for (let asked = 1; asked < patience.asks; asked += 1) {
    assert.equal(list()[0]?.state, 'pending')
    await pass(patience.askEveryMs)
  }
  assert.equal(list()[0]?.state, 'timed_out')
})

test('a refused command leaves no row and throws for the form', async () => {
  const refusal = new ApiError(400, { code: 'validation_failed', errors: [] })
  const { invocations, list } = setUp([refusal])
  await assert.rejects(invocations.runCommand(command, { botName: 'Dice' }), refusal)
  assert.equal(list().length, 0)
})

test('a button is busy until the update; a second press meanwhile is none', async () => {
  const { invocations, list, requests } = setUp([taken])
  const first = invocations.press(button, { botName: 'Dice', describe })
  await invocations.press(button, { botName: 'Dice', describe })
  await first
  assert.equal(requests.length, 1)
  assert.equal(list()[0]?.state, 'pending')
  invocations.update({ id: '77', state: 'answered' })
  assert.equal(list().length, 0)
})

test('a refused press stays as a notice, and the next press takes its place', async () => {
  const { invocations, list } = setUp([new ApiError(404, { code: 'not_found' }), { ...taken, id: '78' }])
  await invocations.press(button, { botName: 'Dice', describe })
  assert.deepEqual([list()[0]?.state, list()[0]?.reason], ['failed', 'refused'])
  await invocations.press(button, { botName: 'Dice', describe })
  assert.equal(list().length, 1)
  assert.equal(list()[0]?.state, 'pending')
})

test('updates of interactions of another tab are not ours', () => {
  const { invocations, list } = setUp([])
  invocations.update({ id: '5', state: 'timed_out', nonce: 'other' })
  assert.equal(list().length, 0)
})
