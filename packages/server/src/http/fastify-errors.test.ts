import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appWith } from '@gatehouse/testkit/app'
import { errorCodes } from 'fastify'
import { toAppError } from './errors.ts'
import { programmingErrors, requestErrors } from './fastify-errors.ts'
import { noContent, route } from './route.ts'

/** A placeholder for the part of a request that some messages of Fastify contain. */
const secret = 'the-token'

test('every error code of Fastify is either a request error or a programming error', () => {
  const known = [...Object.keys(requestErrors), ...programmingErrors]
  assert.deepEqual(known.toSorted(), Object.keys(errorCodes).toSorted())
})

test('a request error has a status below 500, or 503, and contains nothing of the request', () => {
  for (const [code, FastifyError] of Object.entries(errorCodes)) {
    const { status, message } = toAppError(new FastifyError(secret, secret, secret))
    const expected = programmingErrors.includes(code)
      ? [500]
      : [400, 404, 413, 414, 415, ...(code === 'FST_ERR_HANDLER_TIMEOUT' ? [503] : [])]
    assert.ok(expected.includes(status), `${code}: ${status}`)
    assert.equal(message.includes(secret), false, code)
  }
})

test('responses have the native format, and only programming errors are logged as errors', async () => {
  let thrown: unknown
  const { app, log } = await appWith(
    route({
      method: 'GET',
      path: '/api/fail',
      summary: 'Fails',
      tag: 'Test',
      caller: { anonymous: true },
      responses: { 204: null },
      errors: ['not_found'],
      handle: async () => {
        await Promise.reject(thrown)
        return noContent()
      },
    }),
  )
  for (const [code, FastifyError] of Object.entries(errorCodes)) {
    log.length = 0
    thrown = new FastifyError(secret)
    const reply = await app.inject('/api/fail')
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(reply.statusCode === 500, programmingErrors.includes(code), code)
    assert.equal(reply.json().code === 'internal_error', reply.statusCode === 500)
    assert.equal(reply.body.includes(secret) || reply.body.includes('FST_'), false, reply.body)
    assert.equal(log.join('').includes('"level":50'), reply.statusCode >= 500, log.join(''))
  }
})
