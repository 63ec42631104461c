import assert from 'node:assert/strict'
import { createOperator, setDisabled } from '@gatehouse/testkit/administration'
import { createBotApplication } from '@gatehouse/testkit/applications'
import { register, type TestUser } from '@gatehouse/testkit/community'
import { makeApplication, tokensFor } from '@gatehouse/testkit/oauth'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { callerOf, callersOf, isDiscord, isEdit, permissionsOf, type Row, readTable, send } from './access.ts'
import { partsOf } from './requests.ts'
import { createWorld, type World } from './world.ts'

type Headers = Readonly<Record<string, string>>

const statusOf = (row: Row, ...names: string[]) =>
  Number(callersOf(row).find(([name]) => names.includes(name))?.[1] ?? 0)

/** Whether the route accepts the session of a user, and nobody without a credential. */
const needsCaller = (row: Row) => statusOf(row, 'anon') === 401 && row.cells['cross-site'] === undefined
const acceptsSession = (row: Row) => needsCaller(row) && ![0, 401].includes(statusOf(row, 'owner', 'user'))
const acceptsBot = (row: Row) => ![0, 401, 403].includes(statusOf(row, 'bot')) || isEdit(row)

/** The kinds of credentials that the route accepts, as in a challenge. */
const acceptedSchemes = (row: Row) => [
  ...(statusOf(row, 'app') === 200 ? ['Bearer' as const] : []),
  ...(acceptsBot(row) ? ['Bot' as const] : []),
  ...(acceptsSession(row) ? ['Session' as const] : []),
]

async function createCallers(service: TestService, scope = 'identify servers servers.members.read') {
  return createCallersOf(service, await register(service, 'ann'), scope)
}

async function createCallersOf(service: TestService, user: TestUser, scope: string) {
  const { token } = await createBotApplication(user.client)
  const tokens = await tokensFor(service, user, await makeApplication(user), { scope })
  return {
    Session: { cookie: user.client.cookieHeader() },
    Bot: { authorization: `Bot ${token}` },
    Bearer: { authorization: `Bearer ${tokens.access_token}` },
  }
}

/** These requests are refused before the service reads their parameters and bodies. */
function request(service: TestService, { method, path }: Row, headers: Headers): Promise<TestResponse> {
  return service.client().send(path.replace(/:\w+/g, '1000000000000000001'), { method, headers })
}

function assertUnauthenticated(reply: TestResponse, row: Row, about: string): void {
  const code = isDiscord(row) ? 0 : 'unauthenticated'
  assert.deepEqual([reply.status, reply.body?.code], [401, code], `${row.route} ${about}: ${reply.text}`)
}

function assertRateLimited(reply: TestResponse, seconds: number, about: string): void {
  assert.equal(reply.status, 429, `${about}: ${reply.text}`)
  assert.equal(reply.headers.get('retry-after'), String(seconds), about)
}

eachService('a request without a valid credential is 401 with a challenge', async (_t, service) => {
  const { Session, Bot, Bearer } = await createCallers(service)
  const out = await service.client().json('POST', '/api/auth/logout', undefined, Session)
  assert.equal(out.status, 204)
  const credentials = [
    {},
    Session,
    ...['Bot x', 'Bot', 'Bearer x', 'Basic x', 'x'].map(authorization => ({ authorization })),
    // Each token as the other kind.
    { authorization: Bot.authorization.replace('Bot', 'Bearer') },
    { authorization: Bearer.authorization.replace('Bearer', 'Bot') },
  ]
  for (const row of readTable().filter(needsCaller)) {
    for (const headers of credentials) {
      const reply = await request(service, row, headers)
      assertUnauthenticated(reply, row, JSON.stringify(headers))
      const challenge = reply.headers.get('www-authenticate') ?? ''
      const schemes = challenge.split(', ').map(scheme => scheme.split(' ')[0])
      assert.deepEqual(schemes, acceptedSchemes(row), `${row.route}: ${challenge}`)
    }
  }
})

eachService(
  'no route accepts a credential of a disabled user until the user is enabled (administration/disable)',
  async (_t, service) => {
    const user = await register(service, 'ann')
    const callers = await createCallersOf(service, user, 'identify servers')
    const operator = await createOperator(service)
    await setDisabled(operator, user, true)
    for (const row of readTable().filter(needsCaller)) {
      for (const [scheme, headers] of Object.entries(callers)) {
        const reply = await request(service, row, headers)
        assertUnauthenticated(reply, row, `with ${scheme}`)
      }
    }
    await setDisabled(operator, user, false)
    for (const headers of Object.values(callers)) {
      const { status, text } = await service.client().get('/api/users/@me', headers)
      assert.equal(status, 200, text)
    }
  },
)

eachService('an access token without the scope of the route is 403 with the scope', async (_t, service) => {
  const { Bearer } = await createCallers(service, 'openid')
  const rows = readTable().filter(({ cells }) => cells.scope !== undefined)
  assert.deepEqual(
    rows.filter(needsCaller),
    readTable().filter(row => needsCaller(row) && statusOf(row, 'app') === 200),
  )
  for (const row of rows) {
    const reply = await request(service, row, Bearer)
    assert.equal(reply.status, 403, `${row.route}: ${reply.text}`)
    const challenge = reply.headers.get('www-authenticate') ?? ''
    assert.match(challenge, /^Bearer error="insufficient_scope"/, row.route)
    assert.ok(challenge.includes(`scope="${row.cells.scope}"`), `${row.route}: ${challenge}`)
  }
})

eachService(
  'a request that another site sends with a session is 403 (sign-in/form-token)',
  async (_t, service) => {
    const { Session } = await createCallers(service)
    const others = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://other.example' },
      { origin: 'null' },
    ]
    for (const row of readTable().filter(({ method }) => method !== 'GET')) {
      const isSignIn = row.cells['cross-site'] === '403'
      if (!isSignIn && !acceptsSession(row)) continue
      for (const headers of others) {
        // Signing in needs no session. The consent page does.
        for (const credential of isSignIn && row.path !== '/oauth2/consent' ? [{}, Session] : [Session]) {
          const reply = await request(service, row, { ...credential, ...headers })
          assert.equal(reply.status, 403, `${row.route} ${JSON.stringify(headers)}: ${reply.text}`)
          if (row.path.startsWith('/api/')) assert.equal(reply.body.code, 'cross_site', row.route)
        }
      }
    }
  },
)

eachService(
  'the rate of all requests applies to each route and each kind of caller (limits/requests)',
  async (_t, service) => {
    const callers = await createCallers(service)
    service.clock.advance(60_000)
    for (const headers of Object.values(callers)) {
      const me = () => service.client().get('/api/users/@me', headers)
      for (let i = 0; i < 40; i++) assert.equal((await me()).status, 200)
      assert.equal((await me()).status, 429)
    }
    for (const row of readTable().filter(needsCaller)) {
      for (const scheme of acceptedSchemes(row)) {
        const reply = await request(service, row, callers[scheme])
        if (row.cells.rates === 'none') assert.notEqual(reply.status, 429, row.route)
        else assertRateLimited(reply, 1, `${row.route} with ${scheme}`)
      }
    }
  },
  { env: { RATE_LIMITS: 'requests=20/1' } },
)

/** The first rate of a row that a second request exceeds. */
const rateOf = ({ cells: { rates, limit } }: Row) => (rates ?? limit ?? 'none').split(',')[0] ?? ''
const limited = [...new Set(readTable().map(rateOf))].filter(name => name !== 'none')
/** Differs for each rate. */
const secondsOf = (name: string) => 60 + limited.indexOf(name)
const waitMs = secondsOf(limited.at(-1) ?? '') * 1000

/** A service whose clients wait until no request counts any more, except for callbacks, which have a deadline. */
function waiting(service: TestService): TestService {
  const wait = (client: TestClient) =>
    new Proxy(client, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          if (!parameters.some(one => String(one).endsWith('/callback'))) service.clock.advance(waitMs)
          return member(...parameters)
        }
      },
    })
  return { ...service, client: () => wait(service.client()) }
}

/** Sends the same request twice, without time between them. The second one is 429. */
async function sendTwice(world: World, service: TestService, row: Row, name: string) {
  const about = `${row.route} as ${name}`
  const { client, headers } = await callerOf(world, row, name)
  const parts = await partsOf(world, row, name)
  // An unknown invite.
  const given = row.cells.limit === 'unknownInvites' ? {} : parts
  const cookie = client.cookies.size === 0 ? {} : { cookie: client.cookieHeader() }
  service.clock.advance(waitMs)
  const sender = { client: service.client(), headers: { ...headers, ...cookie } }
  const first = await send(world, row, sender, given)
  assert.ok(![0, 429].includes(first.status), `${about}: ${first.text}`)
  assertRateLimited(await send(world, row, sender, given), secondsOf(rateOf(row)), about)
}

eachService(
  'the rates of a route apply, each with its own time to wait (limits/rates)',
  async (_t, service) => {
    const world = await createWorld(waiting(service))
    for (const row of readTable().filter(row => rateOf(row) !== 'none')) {
      const { limit, right } = row.cells
      await world.setPermission(permissionsOf(row))
      const accepted = ['owner', 'user', 'bot'].filter(name => [200, 201, 202].includes(statusOf(row, name)))
      const credentials = limit === 'wrongClientSecrets' ? 'wrong' : 'right'
      const names = right !== undefined ? [credentials] : limit === undefined ? accepted : ['user']
      for (const name of names) await sendTwice(world, service, row, name)
    }
  },
  {
    env: {
      RATE_LIMITS: ['requests=100000/1', ...limited.map(name => `${name}=1/${secondsOf(name)}`)].join(),
    },
  },
)
