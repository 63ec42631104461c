import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import fastify, { type FastifyInstance } from 'fastify'
import { routedUrl } from './routed-url.ts'

const paths = [
  '/api/users/@me',
  '/api/users/:id',
  '/api/users/@me/channels',
  '/api/users/:id/:name',
  '/files/*',
]

/** An app with the same router as the service: it responds with the route and its parameters. */
function routerApp(rewriteUrl = (url: string) => url): FastifyInstance {
  const app = fastify({
    routerOptions: { maxParamLength: 512, caseSensitive: true, ignoreTrailingSlash: false },
    rewriteUrl: request => rewriteUrl(request.url ?? ''),
  })
  for (const path of paths) app.get(path, async ({ params, query }) => ({ path, params, query }))
  return app
}

async function respond(app: FastifyInstance, url: string): Promise<string> {
  const { statusCode, payload } = await app.inject({ url })
  // Errors of the router have the URL in their message.
  return statusCode === 200 ? payload : String(statusCode)
}

const escapes = [
  '%2F',
  '%2f',
  '%3F',
  '%23',
  '%25',
  '%2540',
  '%252F',
  '%00',
  '%41',
  '%c3%a9',
  '%',
  '%4',
  '%zz',
]
const piece = fc.constantFrom('/', '@me', '@', 'me', 'channels', 'a', '0', '40', '%40', '?', '#', ...escapes)
const url = fc
  .tuple(
    fc.constantFrom('/api/users/', '/files/', '/api/'),
    fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join('')),
  )
  .map(parts => parts.join(''))

test('of the escapes in a path, only %40 matches as another text: @', async () => {
  const [rewriting, plain] = [routerApp(routedUrl), routerApp()]
  await fc.assert(
    fc.asyncProperty(url, async given => {
      const [path = ''] = given.split(/[?#]/, 1)
      const expected = path.split('%40').join('@') + given.slice(path.length)
      assert.equal(await respond(rewriting, given), await respond(plain, expected), given)
    }),
    { numRuns: 2000 },
  )
})

test('a parameter has the same value with %40 as with @', async () => {
  const plain = routerApp()
  await fc.assert(
    fc.asyncProperty(url, async given => {
      const before = JSON.parse(await respond(plain, given))
      const after = JSON.parse(await respond(plain, routedUrl(given)))
      if (before.path === after.path) assert.deepEqual(after, before, given)
    }),
    { numRuns: 2000 },
  )
})

eachService(
  '%40 in a path is @ in both interfaces, and no other escape is (discord/paths)',
  async (_t, service) => {
    const { client } = await register(service, 'ann')
    for (const path of ['/api/users/%40me', '/api/users/@me?x=%40']) {
      assert.equal((await client.get(path)).body.username, 'ann', path)
    }
    for (const path of [
      '%2540me',
      '%2F@me',
      '@me%2Fblocks',
      '@me%3F',
      '@me%23',
      '@me%00',
      '%40me%2Fblocks',
    ]) {
      assert.notEqual((await client.get(`/api/users/${path}`)).status, 200, path)
    }
  },
)
