import assert from 'node:assert/strict'
import { errorCodes } from '@gatehouse/protocol/errors'
import { png } from '@gatehouse/testkit/images'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import fc, { type Arbitrary } from 'fast-check'
import {
  callerOf,
  callersOf,
  completeForm,
  fillPath,
  isDiscord,
  type Parts,
  type Row,
  readTable,
} from '../access/access.ts'
import { partsOf } from '../access/requests.ts'
import { createWorld, type World } from '../access/world.ts'
import {
  changedValue,
  encode,
  form,
  listOperations,
  type Operation,
  type Schema,
  validValue,
} from './generate.ts'

/** The same requests for the same seed. */
const seed = Number(process.env.API_REQUEST_SEED ?? 1)
/** Requests of each route. */
const runs = Number(process.env.API_REQUEST_RUNS ?? 3)

interface Body {
  type: string
  content: string | Buffer
}

/** Half of them have the members that the request of the table has. */
function valueArbitrary(schema: Schema, base: unknown): Arbitrary<unknown> {
  const members = typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base } : {}
  const valid = fc.oneof(fc.constant(base), validValue(schema, members), validValue(schema))
  const changed = valid.chain(value => changedValue(schema, value))
  return fc.oneof({ weight: 2, arbitrary: valid }, changed)
}

function bodyArbitrary(operation: Operation | undefined, parts: Parts): Arbitrary<Body | undefined> {
  const bodies = operation?.bodies ?? listPageBodies(parts)
  if (bodies.length === 0) return fc.constant(undefined)
  return fc.constantFrom(...bodies).chain(({ type, schema }): Arbitrary<Body> => {
    if (type.startsWith('image/') || type === 'application/octet-stream')
      return fc.record({
        type: fc.constant(type),
        content: fc.constantFrom(png, png.subarray(0, 20), Buffer.of()),
      })
    const text = valueArbitrary(schema, parts.form ?? parts.body).map(value => encode(type, value))
    const content = fc.oneof(
      { weight: 9, arbitrary: text },
      fc.constantFrom('', '{', 'null', '[]', '--x\r\n'),
    )
    return fc.record({ type: fc.constant(type), content })
  })
}

const fields = ['login', 'username', 'email', 'password', 'code', 'token', 'return_to']

/** Pages are not in the API document. */
function listPageBodies({ form: given }: Parts): Operation['bodies'] {
  const properties = [...fields, ...Object.keys(given ?? {})].map(name => [name, { type: 'string' }])
  return given ? [{ type: form, schema: { type: 'object', properties: Object.fromEntries(properties) } }] : []
}

/** Parameters of the path and the query: valid ones, and one of five is another one. */
function parametersArbitrary(
  operation: Operation | undefined,
  place: string,
  base: object,
): Arbitrary<object> {
  const named = operation?.parameters.filter(one => one.in === place) ?? []
  const other = fc.constantFrom('x', '0', '-1', '1.5', '1000000000000000000', '@me', 'a'.repeat(70))
  const members = named.map(({ name, schema }) => {
    const valid = place === 'path' ? fc.constant(Reflect.get(base, name)) : validValue(schema, { ...base })
    return [name, fc.oneof({ weight: 4, arbitrary: valid }, other)]
  })
  const requiredKeys = named.filter(({ required }) => required).map(({ name }) => name)
  return fc
    .record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys })
    .map(values => ({ ...base, ...values }))
}

function requestArbitrary(
  world: World,
  row: Row,
  parts: Parts,
  operation?: Operation,
): Arbitrary<{ path: string; body: Body | undefined }> {
  const path = parametersArbitrary(operation, 'path', parts.params ?? {}).map(params => {
    const given = Object.entries(params).filter(([, value]) => value !== undefined)
    return fillPath(world, row.path, Object.fromEntries(given))
  })
  const query = parametersArbitrary(operation, 'query', parts.query ?? {}).map(values => encode(form, values))
  const body = row.method === 'GET' ? fc.constant(undefined) : bodyArbitrary(operation, parts)
  return fc
    .record({ path, query, body })
    .map(({ path, query, body }) => ({ path: query === '' ? path : `${path}?${query}`, body }))
}

const pictures = /^\/(media-proxy$|(embed\/)?avatars\/|(app-)?icons\/)/

/** Whether an error has the format of a path that is not in the API document. */
function isInFormat({ headers, text }: TestResponse, path: string): boolean {
  const type = headers.get('content-type')
  const isPicture = pictures.test(path)
  if (!isPicture && !isDiscord({ path }))
    return type === 'text/html; charset=utf-8' && text.startsWith('<!doctype html>')
  if (type !== 'application/json') return false
  const { code, message, ...more } = JSON.parse(text)
  if (typeof message !== 'string') return false
  // Clients of Discord's API read the number of the error.
  if (!isPicture) return typeof code === 'number'
  // A browser shows no picture, and the error is that of our API.
  return errorCodes.includes(code) && Object.keys(more).length === 0
}

/** What is wrong with a response, besides what the test client compares with the API document. */
function findFault(reply: TestResponse, { path }: Row, isDocumented: boolean) {
  const { status, text } = reply
  if (status >= 500) return `${status} ${text}`
  const isExpected = status < 400 || isDocumented || isInFormat(reply, path)
  return isExpected ? undefined : `an error in another format: ${text}`
}

eachService(
  'the service answers every request as the API document says',
  async (_t, service) => {
    const document = JSON.parse((await service.client().get('/api/openapi.json')).text)
    const operations = new Map(
      listOperations(document).map(operation => [
        `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, ':$1')}`,
        operation,
      ]),
    )
    const world = await createWorld(service)
    const findings: string[] = []
    const statuses = new Set<number>()
    for (const [index, row] of readTable().entries()) {
      const operation = operations.get(row.route)
      // The other requests need the commands of the first bot.
      const callers = callersOf(row).filter(
        ([name]) => name !== 'bot' || !/^PUT .*\/commands$/.test(row.route),
      )
      const accepted = callers.filter(([, status]) => Number(status) < 400)
      for (let run = 0; run < runs; run++) {
        const random = seed * 10_000 + index * runs + run
        const sample = <T>(arbitrary: Arbitrary<T>) =>
          fc.sample(arbitrary, { seed: random, numRuns: 1 })[0] as T
        const [name] = sample(fc.constantFrom(...accepted, ...accepted, ...accepted, ...callers))
        const caller = await callerOf(world, row, name)
        const parts = await completeForm(caller, await partsOf(world, row, name))
        const { path, body } = sample(requestArbitrary(world, row, parts, operation))
        const headers = { ...parts.headers, ...caller.headers, ...(body && { 'content-type': body.type }) }
        const init = { method: row.method, headers, ...(body && { body: body.content }) }
        const fault = await caller.client.send(path, init).then(
          reply => {
            statuses.add(reply.status)
            return findFault(reply, row, operation !== undefined)
          },
          (error: Error) => error.message,
        )
        if (fault !== undefined)
          findings.push(
            `API_REQUEST_SEED=${seed} ${row.method} ${path} as ${name}: ${fault}`,
            String(body?.content).slice(0, 400),
          )
      }
    }
    assert.deepEqual(findings, [])
    for (const status of [200, 201, 202, 204, 303, 400, 401, 403, 404])
      assert.ok(statuses.has(status), `no response is ${status}`)
  },
  { env: { RATE_LIMITS: 'off' } },
)
