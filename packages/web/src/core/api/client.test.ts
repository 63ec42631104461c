import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlReasonNames } from '@gatehouse/protocol/field-errors'
import { type CapName, caps } from '@gatehouse/protocol/limits'
import { en } from '../i18n/en.ts'
import { ru } from '../i18n/ru.ts'
import { createTranslate } from '../i18n/translate.ts'
import {
  ApiError,
  createApi,
  type FieldError,
  fieldErrorText,
  fieldErrorTexts,
  isTransient,
  problemText,
  toProblem,
  withoutFieldErrors,
} from './client.ts'

const t = createTranslate(en, 'en')
const fieldError = (path: string, code: string): FieldError => ({ path, code, message: 'must be otherwise' })
const refused = (...errors: FieldError[]) => new ApiError(400, { code: 'validation_failed', errors })

test('the text of a length error has the bound, with the plural form of the language', () => {
  assert.equal(fieldErrorText(fieldError('name', 'too_long'), t, { max: 32 }), 'At most 32 characters.')
  assert.equal(fieldErrorText(fieldError('name', 'too_short'), t, { min: 1 }), 'At least 1 character.')
  const russian = createTranslate(ru, 'ru')
  assert.equal(fieldErrorText(fieldError('name', 'too_long'), russian, { max: 32 }), 'Не больше 32 символов.')
  assert.equal(fieldErrorText(fieldError('name', 'too_long'), russian, { max: 1 }), 'Не больше 1 символа.')
})

test('the text of a length error may have no bound, and that of an unknown code is the message of the service', () => {
  assert.equal(fieldErrorText(fieldError('name', 'too_long'), t), 'This is too long.')
  assert.equal(fieldErrorText(fieldError('name', 'too_round'), t), 'must be otherwise')
})

test('the text of each field is that of its first error; errors of other paths are for the form', () => {
  const error = refused(
    fieldError('name', 'too_long'),
    fieldError('name', 'invalid_text'),
    fieldError('topic', 'required'),
    fieldError('other', 'required'),
  )
  const problems = fieldErrorTexts(error, { name: { max: 100 }, topic: {} }, t)
  assert.deepEqual(problems, { name: 'At most 100 characters.', topic: 'This field is required.' })
  assert.deepEqual(fieldErrorTexts(new Error('x'), { name: {} }, t), {})
  assert.deepEqual(fieldErrorTexts(refused(fieldError('name', 'required')), undefined, t), {})
})

/** The error of a request that `answer` answers. */
async function errorOf(answer: (init?: RequestInit) => Promise<Response>): Promise<ApiError> {
  const api = createApi({ fetch: (_path, init) => answer(init), onSignedOut: () => {} })
  const error = await api.call('createServer', { body: { name: 'x' }, timeoutMs: 5 }).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(error instanceof ApiError)
  return error
}

test('reads the delay from the body, or from Retry-After in seconds or as a date', async () => {
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
  const wait = async (retryAfter: string, body = 'busy') =>
    (
      await errorOf(
        async () => new Response(body, { status: 429, headers: { ...headers, 'retry-after': retryAfter } }),
      )
    ).retryAfterSeconds
  assert.equal(await wait('7'), 7)
  assert.equal(await wait('Thu, 01 Jan 2026 00:01:30 GMT'), 90)
  assert.equal(await wait('soon'), undefined)
  assert.equal(await wait('7', '{"code":"rate_limited","message":"x","retryAfter":3.5}'), 3.5)
})

test('a truncated response and a timeout are network errors', async () => {
  const headers = { 'content-type': 'application/json' }
  const cut = await errorOf(async () => new Response('{"id":', { status: 201, headers }))
  // The timer of the signal does not keep the process of the test alive. In a browser, the page does.
  const keepAlive = setTimeout(() => {}, 60_000)
  const late = await errorOf(
    init =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  )
  clearTimeout(keepAlive)
  for (const error of [cut, late]) assert.deepEqual([error.code, isTransient(error)], ['network', true])
})

test('after a 401, a signed-in client sends a request once more, with the cookie of another request', async () => {
  const statuses: number[] = []
  let signedOut = 0
  const api = createApi({
    fetch: async () => new Response(null, { status: statuses.shift() ?? 500 }),
    onSignedOut: () => signedOut++,
    wait: async () => {},
  })
  const send = async (...next: number[]) => {
    statuses.splice(0, statuses.length, ...next)
    return api.call('logOut').then(
      () => 'sent',
      (error: unknown) => error instanceof ApiError && error.status,
    )
  }
  assert.deepEqual([await send(401, 204), signedOut], [401, 1], 'not signed in')
  assert.deepEqual([await send(204), signedOut], ['sent', 1])
  assert.deepEqual([await send(401, 204), signedOut], ['sent', 1])
  assert.deepEqual([await send(401, 401, 204), signedOut], [401, 2])
})

test('a response without a body is not truncated', async () => {
  const api = createApi({ fetch: async () => new Response(null, { status: 202 }), onSignedOut: () => {} })
  assert.equal(await api.call('logOut'), undefined)
})

test('an error can be stored as JSON and restored', () => {
  const fieldError: FieldError = { path: 'content', code: 'too_long', message: 'is too long' }
  const error = new ApiError(400, {
    code: 'validation_failed',
    message: 'no',
    errors: [fieldError],
    retryAfter: 2,
  })
  const problem = JSON.parse(JSON.stringify(toProblem(error)))
  const again = new ApiError(problem.status, problem)
  assert.deepEqual({ ...again, message: again.message }, { ...error, message: error.message })
})

test('the text of a field error says what is accepted, in the language of the user', () => {
  const russian = createTranslate(ru, 'ru')
  const of = (code: string, more: Partial<FieldError>) => {
    const given = { ...fieldError('limit', code), ...more }
    return [fieldErrorText(given, t), fieldErrorText(given, russian)]
  }
  assert.deepEqual(of('too_long', { max: 256 }), ['At most 256 characters.', 'Не больше 256 символов.'])
  assert.deepEqual(of('out_of_range', { min: 1, max: 100 }), [
    'Must be between 1 and 100.',
    'Допустимы значения от 1 до 100.',
  ])
  assert.deepEqual(of('invalid_type', { accepted: ['string', 'null'] }), [
    'Must be a string or null.',
    'Допустимо: строка или null.',
  ])
  assert.deepEqual(of('invalid_choice', { accepted: ['primary', 'link'] }), [
    'Must be one of: primary, link.',
    'Допустимые значения: primary, link.',
  ])
  assert.deepEqual(of('invalid_url', { reason: 'scheme' }), [
    'The URL must start with http:// or https://.',
    'URL должен начинаться с http:// или https://.',
  ])
  assert.deepEqual(of('too_many', { max: 5 }), ['At most 5 entries.', 'Не больше 5 элементов.'])
})

test('every reason of an invalid URL has a text in each language', () => {
  for (const reason of urlReasonNames) {
    const given: FieldError = { ...fieldError('url', 'invalid_url'), reason }
    for (const words of [en, ru]) {
      const text = fieldErrorText(given, createTranslate(words, 'en'))
      assert.doesNotMatch(text, /^(This URL is not valid|Недопустимый URL)|otherwise/)
    }
  }
})

test('lists several field errors with their paths, without those that are shown at their fields', () => {
  const error = refused(
    { ...fieldError('name', 'too_long'), max: 5 },
    { ...fieldError('limit', 'out_of_range'), min: 1, max: 9 },
    fieldError('', 'empty'),
  )
  assert.equal(
    problemText(error, t),
    'name: At most 5 characters. limit: Must be between 1 and 9. Must not be empty.',
  )
  assert.equal(problemText(withoutFieldErrors(error, ['name', '']), t), 'Must be between 1 and 9.')
  assert.equal(withoutFieldErrors(error, ['name', 'limit', '']), undefined)
  assert.equal(withoutFieldErrors(error, []), error)
})

test('the text of `limit_reached` names the limit in the language of the user', () => {
  const russian = createTranslate(ru, 'ru')
  for (const limit of Object.keys(caps) as CapName[]) {
    const error = new ApiError(409, { code: 'limit_reached', message: 'A limit.', limit })
    const max = (language: string) => new Intl.NumberFormat(language).format(caps[limit])
    assert.ok(problemText(error, t).includes(` ${max('en')} `))
    assert.match(problemText(error, russian), new RegExp(`[а-я].* ${max('ru')} `))
    assert.equal(problemText(new ApiError(409, toProblem(error)), t), problemText(error, t))
  }
  assert.equal(problemText(new ApiError(409, { code: 'limit_reached', message: 'A limit.' }), t), 'A limit.')
})

test('a request that its signal ends rejects with the reason of the signal', async () => {
  const api = createApi({
    fetch: async (_path, init) => {
      const { promise, reject } = Promise.withResolvers<Response>()
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      return promise
    },
    onSignedOut: () => {},
  })
  const controller = new AbortController()
  const request = api.call('createServer', { body: { name: 'x' }, signal: controller.signal })
  controller.abort(new Error('typed on'))
  await assert.rejects(request, /typed on/)
})

test('sends parameters in path and query, a body as JSON, a Blob with its type, a reason', async () => {
  const requests: unknown[] = []
  const api = createApi({
    fetch: async (path, { method, body, headers } = {}) => {
      requests.push([method, path, body, headers])
      return new Response(null, { status: 204 })
    },
    onSignedOut: () => {},
  })
  await api.call('listMembers', { id: '1', query: { limit: 5, after: undefined } })
  await api.call('updateRole', { id: '1', roleId: '2', body: { name: 'x' } })
  const body = new Blob(['x'], { type: 'image/png' })
  await api.call('setServerIcon', { id: '1', body })
  await api.call('removeMember', { id: '1', userId: '2', reason: 'Two words' })
  assert.deepEqual(requests, [
    ['GET', '/api/servers/1/members?limit=5', undefined, undefined],
    ['PATCH', '/api/servers/1/roles/2', '{"name":"x"}', { 'content-type': 'application/json' }],
    ['PUT', '/api/servers/1/icon', body, { 'content-type': 'image/png' }],
    ['DELETE', '/api/servers/1/members/2', undefined, { 'X-Audit-Log-Reason': 'Two%20words' }],
  ])
})
