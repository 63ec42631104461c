import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeApi } from '../api/api-testing.ts'
import { ApiError } from '../api/client.ts'
import { createInvocations, timing } from './invocations.ts'

/** `answers` has the result of each request, in turn. `pass` advances the clock. */
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
    api: fakeApi(({ path, body }) => next(path, body)),
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

test('removes a command when the message of its response is shown', async () => {
  const { invocations, list, requests } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice', name: 'roll' })
  assert.equal(list()[0]?.state, 'pending')
  assert.match(JSON.stringify(requests[0]?.body), /"type":"command"/)
  invocations.interactionUpdated({ id: '77', state: 'answered' })
  assert.equal(list()[0]?.state, 'answered')
  invocations.responseShown('77')
  assert.equal(list().length, 0)
})

test('an error of a command becomes a notice only if there is a text for it', async () => {
  const refused = new ApiError(403, { code: 'missing_permission' })
  const { invocations, list } = setUp([refused, refused])
  await assert.rejects(
    invocations.runCommand(command, { botName: 'Dice' }, () => undefined),
    refused,
  )
  assert.equal(list().length, 0)
  await invocations.runCommand(command, { botName: 'Dice' }, describe)
  assert.deepEqual([list()[0]?.state, list()[0]?.reason], ['failed', 'refused'])
})

test('removes a completed command after a delay if its message is not shown', async () => {
  const { invocations, list, pass } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice' })
  invocations.interactionUpdated({ id: '77', state: 'answered' })
  await pass(timing.removeAfterMs)
  assert.equal(list().length, 0)
})

test('accepts the message and the update before the response to the request', async () => {
  const { invocations, list } = setUp([taken, taken])
  const using = invocations.runCommand(command, { botName: 'Dice' })
  const nonce = list()[0]?.nonce ?? ''
  invocations.interactionUpdated({ id: '77', state: 'answered', nonce })
  assert.equal(list()[0]?.state, 'answered')
  invocations.responseShown('77')
  await using
  assert.equal(list().length, 0)
})

test('keeps the state of an update that arrived before the response to the request', async () => {
  const { invocations, list } = setUp([taken])
  const using = invocations.runCommand(command, { botName: 'Dice' })
  invocations.interactionUpdated({
    id: '77',
    state: 'failed',
    reason: 'not connected',
    nonce: list()[0]?.nonce ?? '',
  })
  await using
  assert.deepEqual([list()[0]?.state, list()[0]?.reason], ['failed', 'not connected'])
})

test('adds the reason of an update that arrives after the response to the request', async () => {
  const { invocations, list } = setUp([{ ...taken, state: 'failed' }])
  await invocations.invokeComponent(button, { botName: 'Dice', describe })
  assert.deepEqual([list()[0]?.state, list()[0]?.reasonCode], ['failed', undefined])
  const update = { id: '77', state: 'failed', reason: 'not connected', reasonCode: 'no_answer' } as const
  invocations.interactionUpdated(update)
  assert.deepEqual([list()[0]?.reason, list()[0]?.reasonCode], ['not connected', 'no_answer'])
  invocations.interactionUpdated({ id: '77', state: 'answered' })
  assert.equal(list()[0]?.state, 'failed')
})

test('a response of the bot replaces the notice of a request whose response was lost', async () => {
  const { invocations, list } = setUp([new ApiError(0, { code: 'network' })])
  await invocations.invokeComponent(button, { botName: 'Dice', describe })
  const [{ state, nonce = '' } = {}] = list()
  assert.equal(state, 'failed')
  invocations.interactionUpdated({ id: '77', nonce, state: 'answered' })
  assert.deepEqual(list(), [])
})

test('shows a timeout until it is dismissed', async () => {
  const { invocations, list } = setUp([taken])
  await invocations.runCommand(command, { botName: 'Dice' })
  invocations.interactionUpdated({ id: '77', state: 'timed_out' })
  assert.equal(list()[0]?.state, 'timed_out')
  invocations.dismiss(list()[0]?.nonce ?? '')
  assert.equal(list().length, 0)
})

test('polls after the deadline without the gateway', async () => {
  const { invocations, list, pass, requests } = setUp([taken, { id: '77', state: 'timed_out' }])
  await invocations.runCommand(command, { botName: 'Dice' })
  await pass(timing.deadlineMs)
  assert.equal(requests.length, 1)
  await pass(timing.graceMs)
  assert.equal(requests[1]?.path, '/api/interactions/77')
  assert.equal(list()[0]?.state, 'timed_out')
})

test('times out after the last failed poll', async () => {
  const offline = new ApiError(0, { code: 'network' })
  const { invocations, list, pass } = setUp([
    taken,
    ...Array.from({ length: timing.maxPolls }, () => offline),
  ])
  await invocations.runCommand(command, { botName: 'Dice' })
  await pass(timing.deadlineMs + timing.graceMs)
  for (let asked = 1; asked < timing.maxPolls; asked += 1) {
    assert.equal(list()[0]?.state, 'pending')
    await pass(timing.pollIntervalMs)
  }
  assert.equal(list()[0]?.state, 'timed_out')
})

test('removes a rejected command and rejects with the error', async () => {
  const refusal = new ApiError(400, { code: 'validation_failed', errors: [] })
  const { invocations, list } = setUp([refusal])
  await assert.rejects(invocations.runCommand(command, { botName: 'Dice' }), refusal)
  assert.equal(list().length, 0)
})

test('ignores a second press until the update of the first', async () => {
  const { invocations, list, requests } = setUp([taken])
  const first = invocations.invokeComponent(button, { botName: 'Dice', describe })
  await invocations.invokeComponent(button, { botName: 'Dice', describe })
  await first
  assert.equal(requests.length, 1)
  assert.equal(list()[0]?.state, 'pending')
  invocations.interactionUpdated({ id: '77', state: 'answered' })
  assert.equal(list().length, 0)
})

test('shows the error of a rejected press until the next press', async () => {
  const { invocations, list } = setUp([new ApiError(404, { code: 'not_found' }), { ...taken, id: '78' }])
  await invocations.invokeComponent(button, { botName: 'Dice', describe })
  assert.deepEqual([list()[0]?.state, list()[0]?.reason], ['failed', 'refused'])
  await invocations.invokeComponent(button, { botName: 'Dice', describe })
  assert.equal(list().length, 1)
  assert.equal(list()[0]?.state, 'pending')
})

test('ignores updates of interactions of another tab', () => {
  const { invocations, list } = setUp([])
  invocations.interactionUpdated({ id: '5', state: 'timed_out', nonce: 'other' })
  assert.equal(list().length, 0)
})

const modal = {
  customId: 'report',
  title: 'Report',
  components: [
    {
      type: 'row' as const,
      components: [{ type: 'text_input' as const, customId: 'why', style: 'short' as const, label: 'Why' }],
    },
  ],
}
const fields = [{ customId: 'why', value: 'Spam' }]

test('opens the modal of a response once, from the gateway or a poll, and only in the tab of the user', async () => {
  const { invocations, list, pass } = setUp([taken, taken, { id: '77', state: 'answered', modal }])
  await invocations.runCommand(command, { botName: 'Dice' })
  invocations.interactionUpdated({ id: '5', state: 'answered', nonce: 'other', modal })
  assert.deepEqual(invocations.modals.get(), [])
  invocations.interactionUpdated({ id: '77', state: 'answered', modal })
  invocations.interactionUpdated({ id: '77', state: 'answered', modal })
  assert.equal(list().length, 0)
  const [opened] = invocations.modals.get()
  assert.deepEqual(invocations.modals.get(), [
    { interactionId: '77', channelId: command.channelId, botName: 'Dice', botAvatar: null, modal },
  ])
  invocations.closeModal(opened?.interactionId ?? '')
  assert.deepEqual(invocations.modals.get(), [])

  await invocations.runCommand(command, { botName: 'Dice' })
  await pass(timing.deadlineMs + timing.graceMs)
  assert.equal(invocations.modals.get().length, 1)
})

test('a submitted modal closes when the bot has responded, and stays open if it fails', async () => {
  const refusal = new ApiError(400, { code: 'validation_failed', errors: [] })
  const submitted = { ...taken, id: '78' }
  const { invocations, list, requests } = setUp([taken, refusal, submitted, taken, submitted])
  for (const state of ['answered', 'timed_out'] as const) {
    await invocations.runCommand(command, { botName: 'Dice' })
    invocations.interactionUpdated({ id: '77', state: 'answered', modal })
    const [opened] = invocations.modals.get()
    assert.ok(opened)
    if (state === 'answered') {
      await assert.rejects(invocations.submitModal(opened, fields), refusal)
      assert.equal(list().length, 0)
    }
    await invocations.submitModal(opened, fields)
    const { nonce: _, ...sent } = { ...(requests.at(-1)?.body as object), nonce: '' }
    const { channelId } = command
    assert.deepEqual(sent, { type: 'modal_submit', channelId, interactionId: '77', components: fields })
    assert.equal(invocations.modals.get().length, 1)
    invocations.interactionUpdated({ id: '78', state })
    assert.equal(invocations.modals.get().length, state === 'answered' ? 0 : 1)
  }
  assert.equal(list()[0]?.state, 'timed_out')
})

const lost = () => new ApiError(0, { code: 'network' })
const nonceOf = ({ body }: { body?: unknown }) => (body as { nonce: string }).nonce

test('repeats a request once with the same nonce if its response was lost', async () => {
  const { invocations, requests, list } = setUp([lost(), taken])
  await invocations.runCommand(command, { botName: 'Dice', name: 'roll' })
  assert.equal(requests.length, 2)
  assert.equal(new Set(requests.map(nonceOf)).size, 1)
  assert.equal(list()[0]?.state, 'pending')
})

test('a command whose response was lost twice is sent with the nonce of the caller', async () => {
  const { invocations, requests, list } = setUp([lost(), lost(), taken])
  const run = () => invocations.runCommand({ ...command, nonce: 'n' }, { botName: 'Dice', name: 'roll' })
  await assert.rejects(run(), { code: 'network' })
  assert.equal(list().length, 0)
  await run()
  assert.deepEqual(requests.map(nonceOf), ['n', 'n', 'n'])
})

test('a command that the bot answered is done, although the response to its request was lost', async () => {
  const sent = Promise.withResolvers<never>()
  const { invocations, list } = setUp([sent.promise, lost()])
  const running = invocations.runCommand(command, { botName: 'Dice', name: 'roll' })
  await Promise.resolve()
  const nonce = list()[0]?.nonce ?? ''
  invocations.responseShown('77')
  invocations.interactionUpdated({ id: '77', nonce, state: 'answered' })
  assert.equal(list().length, 0)
  sent.reject(lost())
  await running
  assert.equal(list().length, 0)
})
