import assert from 'node:assert/strict'
import { type ApiCheck, apiCheckOf } from '@gatehouse/testkit/api-document'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import { changesOf, listOperations, type Operation, validValue } from './generate.ts'
import { ignoresInvalid, reasonOf } from './reasons.ts'
import { countStatuses, eachSeed } from './run.ts'
import { createWorld, imageInit, type Target, targets, type World } from './targets.ts'

interface Request {
  operation: Operation
  target: Target
  path: string
  query: object
  type: string | undefined
  value: unknown
}

function encodeForm(value: object): string {
  return String(new URLSearchParams(Object.entries(value).map(([name, member]) => [name, textOf(member)])))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function encodeBody(type: string, value: unknown): { type: string; body: string } {
  if (type === 'application/json') return { type, body: JSON.stringify(value) }
  // A form has no null.
  const given = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const members = Object.fromEntries(given.filter(([, member]) => member !== null))
  if (type === 'application/x-www-form-urlencoded') return { type, body: encodeForm(members) }
  const parts = Object.entries(members).map(
    ([name, member]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${textOf(member)}\r\n`,
  )
  return { type: 'multipart/form-data; boundary=x', body: `${parts.join('')}--x--\r\n` }
}

function urlOf({ path, query }: Request): string {
  return Object.keys(query).length === 0 ? path : `${path}?${encodeForm(query)}`
}

async function send(world: World, request: Request): Promise<TestResponse> {
  const { operation, target, type, value } = request
  const path = urlOf(request)
  const { service, bot, accessToken, owner } = world
  const { scheme = operation.security[0] } = target
  const client = scheme === 'session' ? (target.user ?? owner).client : service.client()
  const authorization = { bot: `Bot ${(target.bot ?? bot).token}`, oauth: `Bearer ${accessToken}` }[
    scheme ?? ''
  ]
  const headers = { ...target.headers, ...(authorization === undefined ? {} : { authorization }) }
  const { method } = operation
  if (type !== undefined && isImage(type)) {
    return client.send(path, { ...imageInit, method, headers: { 'content-type': type } })
  }
  if (type === undefined) return client.send(path, { method, headers })
  const encoded = encodeBody(type, value)
  return client.send(path, {
    method,
    headers: { ...headers, 'content-type': encoded.type },
    body: encoded.body,
  })
}

/** One value of an arbitrary that depends on the seed only. */
function sample<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 })
  return value as T
}

/** A request that the document allows. `random` selects it. */
async function validRequest(world: World, operation: Operation, random: number): Promise<Request> {
  const target = (await targets[operation.id]?.(world)) ?? {}
  const { parameters = {} } = target
  const members = { emoji: '🎲', ...target.members }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? `no value of ${name}`)
  const inQuery = operation.parameters.filter(one => one.in === 'query')
  const query = {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: inQuery.filter(one => one.required).map(one => one.name),
  }
  const choices = operation.bodyRequired ? operation.bodies : [undefined, ...operation.bodies]
  const media = choices.length === 0 ? undefined : sample(fc.constantFrom(...choices), random)
  return {
    operation,
    target,
    path,
    // Not checked: the schema is that of an object.
    query: inQuery.length === 0 ? {} : (sample(validValue(query, members), random) as object),
    type: media?.type,
    value: media && sample(validValue(media.schema, members), random + 1),
  }
}

function isImage(type: string): boolean {
  return type.startsWith('image/') || type === 'application/octet-stream'
}

function isForm(type: string | undefined): boolean {
  return type !== undefined && type !== 'application/json'
}

/** Requests that differ in one place of the body, the query or the path. The document does not allow them. */
function invalidRequests(request: Request, check: ApiCheck): (Request & { at: string })[] {
  const { operation, type, value } = request
  // An authorization request with an invalid parameter is redirected to the application, with the error.
  if (operation.path.startsWith('/oauth2/')) return []
  const schema = operation.bodies.find(body => body.type === type)?.schema
  const bodies = (schema === undefined || type === undefined || isImage(type) ? [] : changesOf(schema, value))
    .filter(change => !isForm(type) || isFormChange(change.value))
    .filter(change => check.findDifference(schema ?? {}, change.value) !== undefined)
    .map(change => ({ ...request, value: change.value, at: change.at }))
  const texts = ['x', '0', '101', '-1', '1.5', 'a'.repeat(70)]
  const parameters = operation.parameters.flatMap(({ in: place, name, schema }) =>
    texts
      .filter(
        text => place !== 'header' && check.findDifference(schema, readText(schema, text)) !== undefined,
      )
      .map(text =>
        place === 'query'
          ? { ...request, query: { ...request.query, [name]: text }, at: `?${name}` }
          : { ...request, path: replaceSegment(request, name, text), at: `{${name}}` },
      ),
  )
  return [...bodies, ...parameters]
}

/** All values of a form are strings, and an empty one counts as none. JSON in a form has its own schema. */
function isFormChange(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const members = Object.entries(value)
  return members.every(
    ([name, member]) => typeof member === 'string' && member !== '' && !name.startsWith('payload'),
  )
}

/** The value of a parameter. */
function readText({ type }: { type?: unknown }, text: string): unknown {
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
}

function replaceSegment({ operation, path }: Request, name: string, text: string): string {
  const segments = path.split('/')
  return segments.with(operation.path.split('/').indexOf(`{${name}}`), text).join('/')
}

/** The operation, the request and the response. */
function describe(request: Request & { at?: string }, { status, text: all }: TestResponse): string {
  const { operation, type, value, at } = request
  const text = /role="alert">(.*)</.exec(all)?.[1] ?? all
  const body = type === undefined ? '' : ` ${type} ${JSON.stringify(value)?.slice(0, 600)}`
  const changed = at === undefined ? '' : ` with ${at} changed`
  return `${operation.id}${changed}: ${status} ${text.slice(0, 300)}\n  ${operation.method} ${urlOf(request)}${body}`
}

const statuses = countStatuses()

eachService(
  'the service accepts what the API document allows, and refuses what it does not',
  async (t, service) => {
    const document = JSON.parse((await service.client().get('/api/openapi.json')).text)
    const check = apiCheckOf(service.routes)
    const operations = listOperations(document)

    async function testValid(world: World, operation: Operation, random: number): Promise<string[]> {
      const request = await validRequest(world, operation, random)
      const reply = await send(world, request)
      return reply.status < 400 || reasonOf(operation.id, reply) ? [] : [describe(request, reply)]
    }

    async function testInvalid(world: World, operation: Operation, random: number): Promise<string[]> {
      const requests = invalidRequests(await validRequest(world, operation, random), check)
      if (requests.length === 0) return []
      const request = sample(fc.constantFrom(...requests), random)
      const reply = await send(world, request)
      const isRefused = reply.status >= 400 && reply.status < 500
      return isRefused || ignoresInvalid(operation.id, request.at, request.value)
        ? []
        : [describe(request, reply)]
    }

    /** Of each operation. */
    const tests = [testValid, testInvalid, testInvalid]
    const findings: string[] = []
    await eachSeed(t, async seed => {
      const world = await createWorld(service)
      for (const [index, operation] of operations.entries()) {
        for (const [run, test] of tests.entries()) {
          const found = await test(world, operation, seed * 10_000 + index * 10 + run).catch(
            (error: Error) => [`${operation.id}: ${error.message}`],
          )
          findings.push(...found.map(finding => `API_REQUEST_SEED=${seed} ${finding}`))
        }
      }
    })
    statuses.report(t)
    if (findings.length > 0) assert.fail(findings.join('\n'))
  },
  { onExchange: statuses.onExchange, env: { RATE_LIMITS: 'off' } },
)
