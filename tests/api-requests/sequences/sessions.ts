import assert from 'node:assert/strict'
import type { TestClient, TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import { always, expectOutcome, newest, newUser, pick, sequence } from './steps.ts'

interface Session {
  id: string
  /** With the cookie, which a response may replace. */
  client: TestClient
  ended: boolean
}

interface State {
  service: TestService
  username: string
  password: string
  sessions: Session[]
}

const at = newest
const endedOr = ({ ended }: Session, expected: string) => (ended ? '401 unauthenticated' : expected)

function valid({ sessions }: State): Session[] {
  return sessions.filter(({ ended }) => !ended)
}

async function readId(client: TestClient): Promise<string> {
  const sessions = await client.request<{ id: string; current: boolean }[]>('GET', '/api/users/@me/sessions')
  return sessions.find(({ current }) => current)?.id ?? ''
}

async function start(service: TestService): Promise<State> {
  const { username, password, client } = await newUser(service)
  return { service, username, password, sessions: [{ id: await readId(client), client, ended: false }] }
}

/** Sessions of one user. */
export const sessions = sequence<State>('sessions', start, step => [
  step(
    3,
    'sign in',
    always,
    fc.record({ wrong: fc.constantFrom(false, false, false, true) }),
    async (state, { wrong }) => {
      const { service, username: login, sessions } = state
      const client = service.client()
      const password = wrong ? 'another password' : state.password
      const reply = await client.json('POST', '/api/auth/login', { login, password })
      if (expectOutcome(reply, wrong ? '401 invalid_credentials' : '200'))
        sessions.push({ id: await readId(client), client, ended: false })
    },
  ),
  step(1, 'list sessions', always, fc.record({ at }), async (state, { at }) => {
    const session = pick(state.sessions, at)
    const reply = await session.client.get('/api/users/@me/sessions')
    if (!expectOutcome(reply, endedOr(session, '200'))) return
    const ids = reply.body.map(({ id }: { id: string }) => id)
    assert.deepEqual(
      ids.toSorted(),
      valid(state)
        .map(({ id }) => id)
        .toSorted(),
    )
  }),
  step(1, 'sign out', always, fc.record({ at }), async ({ sessions }, { at }) => {
    const session = pick(sessions, at)
    const cookie = session.client.cookieHeader()
    expectOutcome(await session.client.json('POST', '/api/auth/logout'), endedOr(session, '204'))
    session.ended = true
    // The cookie that the response removed does not work any more.
    const name = cookie.slice(0, cookie.indexOf('='))
    if (name !== '') session.client.cookies.set(name, cookie.slice(cookie.indexOf('=') + 1))
  }),
  step(1, 'end a session', always, fc.record({ at, of: newest }), async ({ sessions }, { at, of }) => {
    const [session, other] = [pick(sessions, at), pick(sessions, of)]
    const reply = await session.client.json('DELETE', `/api/users/@me/sessions/${other.id}`)
    if (expectOutcome(reply, endedOr(session, other.ended ? '404 not_found' : '204'))) other.ended = true
  }),
  step(
    1,
    'end the other sessions',
    always,
    fc.record({ at, revokeTokens: fc.constantFrom(undefined, false, true) }),
    async ({ sessions }, { at, revokeTokens }) => {
      const session = pick(sessions, at)
      const body = revokeTokens === undefined ? undefined : { revokeTokens }
      const reply = await session.client.json('DELETE', '/api/users/@me/sessions', body)
      if (!expectOutcome(reply, endedOr(session, '204'))) return
      for (const other of sessions) if (other !== session) other.ended = true
    },
  ),
  step(
    1,
    'change the password',
    always,
    fc.record({
      at,
      wrong: fc.constantFrom(false, false, true),
      password: fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 12, maxLength: 20 }),
    }),
    async (state, { at, wrong, password }) => {
      const session = pick(state.sessions, at)
      const currentPassword = wrong ? 'another password' : state.password
      const body = { password, currentPassword }
      const reply = await session.client.json('PATCH', '/api/users/@me', body)
      const refused = wrong ? '400 validation_failed' : undefined
      if (!expectOutcome(reply, endedOr(session, refused ?? '200'))) return
      state.password = password
      for (const other of state.sessions) if (other !== session) other.ended = true
    },
  ),
  step(2, 'read the user', always, fc.record({ at }), async (state, { at }) => {
    const session = pick(state.sessions, at)
    const reply = await session.client.get('/api/users/@me')
    if (expectOutcome(reply, endedOr(session, '200'))) assert.equal(reply.body.username, state.username)
  }),
])
