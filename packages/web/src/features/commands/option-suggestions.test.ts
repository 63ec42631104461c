import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Choice } from '@gatehouse/protocol/commands'
import type { AutocompleteBody } from '@gatehouse/protocol/interactions'
import { type FakeRequest, fakeApi } from '../../core/api/api-testing.ts'
import { ApiError } from '../../core/api/client.ts'
import { createOptionSuggestions, suggestionDelayMs } from './option-suggestions.ts'

const body = (text: string): AutocompleteBody => ({
  channelId: '1',
  commandId: '2',
  options: [{ name: 'song', value: text }],
  focused: 'song',
})
const choice = (name: string): Choice => ({ name, value: name.toLowerCase() })

interface Request extends FakeRequest {
  answer: PromiseWithResolvers<unknown>
}

function create(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const requests: Request[] = []
  const api = fakeApi(request => {
    const answer = Promise.withResolvers<unknown>()
    requests.push({ ...request, answer })
    return answer.promise
  })
  const after = (ms: number, work: () => void) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  }
  const suggestions = createOptionSuggestions(api, { after })
  return {
    ...suggestions,
    requests,
    tick: (ms = suggestionDelayMs) => t.mock.timers.tick(ms),
    async answer(index: number, ...choices: Choice[]) {
      requests[index]?.answer.resolve({ choices })
      await settle()
    },
    async fail(index: number, error: unknown) {
      requests[index]?.answer.reject(error)
      await settle()
    },
  }
}

const settle = () => new Promise(resolve => setImmediate(resolve))

test('asks once when the user pauses, with the last text (bots/autocomplete)', async t => {
  const { ask, tick, answer, requests, store } = create(t)
  ask(body('m'))
  tick(199)
  ask(body('mo'))
  tick(199)
  assert.deepEqual(requests, [])
  tick(1)
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [['POST', '/api/interactions/autocomplete', body('mo')]],
  )
  assert.deepEqual(store.get(), { isAsking: true, choices: undefined })
  await answer(0, choice('Moss'))
  assert.deepEqual(store.get(), { isAsking: false, choices: [choice('Moss')] })
})

test('aborts the older request and ignores its choices', async t => {
  const { ask, tick, answer, requests, store } = create(t)
  ask(body('m'))
  tick()
  await answer(0, choice('Mars'))
  ask(body('mo'))
  tick()
  ask(body('mos'))
  assert.equal(requests[1]?.signal?.aborted, true)
  tick()
  assert.equal(requests[2]?.signal?.aborted, false)
  assert.deepEqual(store.get(), { isAsking: true, choices: [choice('Mars')] }, 'the list does not flicker')
  await answer(2, choice('Moss'))
  await answer(1, choice('Moon'))
  assert.deepEqual(store.get(), { isAsking: false, choices: [choice('Moss')] })
})

test('an error is the same as no choices, and the next text is asked again', async t => {
  const { ask, tick, answer, fail, store } = create(t)
  const errors = [
    new ApiError(410, { code: 'interaction_timed_out' }),
    new ApiError(409, { code: 'interaction_not_answered' }),
    new ApiError(429, { code: 'rate_limited' }),
    new ApiError(0, { code: 'network' }),
  ]
  for (const [index, error] of errors.entries()) {
    ask(body(`m${index}`))
    tick()
    await fail(index, error)
    assert.deepEqual(store.get(), { isAsking: false, choices: [] }, error.code)
  }
  ask(body('mo'))
  tick()
  await answer(errors.length, choice('Moss'))
  assert.deepEqual(store.get().choices, [choice('Moss')])
})

test('keeps the shown choices while the user selects one', async t => {
  const { ask, keep, tick, answer, requests, store } = create(t)
  ask(body('m'))
  keep()
  tick()
  assert.equal(requests.length, 1, 'nothing is shown yet')
  await answer(0, choice('Mars'))
  ask(body('mo'))
  tick()
  ask(body('mos'))
  keep()
  tick()
  assert.equal(requests.length, 2)
  await answer(1, choice('Moss'))
  assert.deepEqual(store.get(), { isAsking: false, choices: [choice('Mars')] })
})

test('clears the choices and ends the request', async t => {
  const { ask, clear, tick, answer, requests, store } = create(t)
  ask(body('m'))
  tick()
  clear()
  assert.equal(requests[0]?.signal?.aborted, true)
  await answer(0, choice('Moss'))
  assert.deepEqual(store.get(), { isAsking: false, choices: undefined })
  ask(body('m'))
  clear()
  tick()
  assert.equal(requests.length, 1)
})
