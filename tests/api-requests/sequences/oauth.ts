import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import {
  codeFor,
  credentialsOf,
  exchangeCode,
  makeApplication,
  post,
  refresh,
  type TestApplication,
  userinfo,
} from '@gatehouse/testkit/oauth'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import { always, expectOutcome, newest, newUser, pick, sequence } from './steps.ts'

interface Grant {
  application: TestApplication
  user: TestUser
  code: string
  state: 'code' | 'tokens' | 'revoked'
  accessToken: string | undefined
  refreshToken: string | undefined
  /** Tokens that were valid before. */
  usedRefreshTokens: string[]
  oldAccessTokens: string[]
}

interface State {
  service: TestService
  users: TestUser[]
  /** Two confidential applications and a public one. */
  applications: TestApplication[]
  grants: Grant[]
}

const index = fc.nat({ max: 2 })
const hasGrant = ({ grants }: State) => grants.length > 0
const hasTokens = ({ grants }: State) => grants.some(({ refreshToken }) => refreshToken !== undefined)
const invalidGrant = '400 invalid_grant'

/** All its tokens stop working. */
function revoke(grant: Grant): void {
  grant.state = 'revoked'
  if (grant.accessToken) grant.oldAccessTokens.push(grant.accessToken)
  grant.accessToken = undefined
}

function receive(grant: Grant, { body }: TestResponse): void {
  if (grant.accessToken) grant.oldAccessTokens.push(grant.accessToken)
  if (grant.refreshToken) grant.usedRefreshTokens.push(grant.refreshToken)
  grant.accessToken = body.access_token
  grant.refreshToken = body.refresh_token
  grant.state = 'tokens'
}

async function start(service: TestService): Promise<State> {
  const users = [await newUser(service), await newUser(service)] as const
  const [owner] = users
  const applications = [
    await makeApplication(owner, { type: 'public' }),
    await makeApplication(owner),
    await makeApplication(owner),
  ]
  return { service, users: [...users], applications, grants: [] }
}

/** Authorization codes and tokens of several applications and users. */
export const oauth = sequence<State>('oauth', start, step => [
  step(
    2,
    'authorize',
    always,
    fc.record({
      user: fc.nat({ max: 1 }),
      application: index,
      scope: fc.constantFrom('identify', 'openid identify email', 'identify servers'),
    }),
    async ({ users, applications, grants }, { user: at, application: of, scope }) => {
      const [user, application] = [pick(users, at), pick(applications, of)]
      const code = await codeFor(user, application, { scope, prompt: undefined })
      grants.push({
        ...{ application, user, code, state: 'code', accessToken: undefined, refreshToken: undefined },
        ...{ usedRefreshTokens: [], oldAccessTokens: [] },
      })
    },
  ),
  step(
    3,
    'exchange',
    hasGrant,
    fc.record({ at: newest, wrong: fc.nat({ max: 7 }) }),
    async ({ service, applications, grants }, { at, wrong }) => {
      const grant = pick(grants, at)
      const { application, code } = grant
      if (wrong === 0 && grant.state === 'code') {
        const redirect = { redirect_uri: 'https://other.example/callback' }
        return void expectOutcome(await exchangeCode(service, application, code, redirect), invalidGrant)
      }
      const other = applications.find(one => one !== application && one.secret !== undefined)
      const client = wrong === 1 && other ? other : application
      const reply = await exchangeCode(service, client, code)
      if (expectOutcome(reply, client === application && grant.state === 'code' ? '200' : invalidGrant))
        return receive(grant, reply)
      // (sign-in/code-single-use), (sign-in/code-of-another-client)
      if (client === application && grant.state === 'tokens') revoke(grant)
    },
  ),
  step(
    3,
    'refresh',
    hasTokens,
    fc.record({ at: newest, wrong: fc.constantFrom(false, false, false, true) }),
    async ({ service, applications, grants }, { at, wrong }) => {
      const grant = pick(
        grants.filter(({ refreshToken }) => refreshToken !== undefined),
        at,
      )
      const other = applications.find(one => one !== grant.application && one.secret !== undefined)
      const client = wrong && other ? other : grant.application
      const reply = await refresh(service, client, grant.refreshToken ?? '')
      const isValid = client === grant.application && grant.state === 'tokens'
      if (expectOutcome(reply, isValid ? '200' : invalidGrant)) receive(grant, reply)
    },
  ),
  step(
    1,
    'refresh with a used token',
    ({ grants }) => grants.some(({ usedRefreshTokens }) => usedRefreshTokens.length > 0),
    fc.record({ at: newest, of: newest }),
    async ({ service, grants }, { at, of }) => {
      const grant = pick(
        grants.filter(({ usedRefreshTokens }) => usedRefreshTokens.length > 0),
        at,
      )
      const token = pick(grant.usedRefreshTokens, of)
      expectOutcome(await refresh(service, grant.application, token), invalidGrant)
      // (sign-in/refresh-reuse)
      revoke(grant)
    },
  ),
  step(
    2,
    'introspect',
    hasGrant,
    fc.record({ at: newest, by: index, kind: fc.constantFrom('access', 'refresh', 'used', 'code') }),
    async ({ service, applications, grants }, { at, by, kind }) => {
      const [grant, client] = [pick(grants, at), pick(applications, by)]
      const { code, accessToken, refreshToken, usedRefreshTokens, oldAccessTokens } = grant
      const used = usedRefreshTokens.at(-1) ?? oldAccessTokens.at(-1)
      const token = { access: accessToken, refresh: refreshToken, used, code }[kind] ?? 'gat_unknown'
      const isValid = token === accessToken || (token === refreshToken && grant.state === 'tokens')
      const reply = await post(service, '/api/oauth2/introspect', { token, ...credentialsOf(client) })
      if (!expectOutcome(reply, client.secret === undefined ? '401 invalid_client' : '200')) return
      assert.equal(reply.body.active, isValid && client === grant.application, `${kind} ${reply.text}`)
    },
  ),
  step(
    2,
    'use',
    hasGrant,
    fc.record({ at: newest, old: fc.boolean() }),
    async ({ service, grants }, { at, old }) => {
      const { accessToken, oldAccessTokens, user } = pick(grants, at)
      const token = old ? oldAccessTokens.at(-1) : accessToken
      const isValid = token !== undefined && token === accessToken
      const me = await service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
      if (expectOutcome(me, isValid ? '200' : '401 unauthenticated')) assert.equal(me.body.id, user.id)
      const info = await userinfo(service, token ?? 'gat_unknown')
      if (expectOutcome(info, isValid ? '200' : '401 invalid_token')) assert.equal(info.body.sub, user.id)
    },
  ),
  step(
    1,
    'revoke',
    hasGrant,
    fc.record({ at: newest, kind: fc.constantFrom('access', 'refresh', 'used', 'code') }),
    async ({ service, grants }, { at, kind }) => {
      const grant = pick(grants, at)
      const { accessToken, refreshToken, usedRefreshTokens, code } = grant
      const used = usedRefreshTokens.at(-1)
      const token = { access: accessToken, refresh: refreshToken, used, code }[kind] ?? 'gat_unknown'
      expectOutcome(await post(service, '/api/oauth2/token/revoke', { token }), '200')
      // (sign-in/revocation-family)
      if (token === refreshToken || token === used) revoke(grant)
      else if (token === accessToken) {
        grant.oldAccessTokens.push(accessToken)
        grant.accessToken = undefined
      }
    },
  ),
  step(
    1,
    'withdraw the consent',
    always,
    fc.record({ user: fc.nat({ max: 1 }), application: index }),
    async ({ users, applications, grants }, { user: at, application: of }) => {
      const [user, application] = [pick(users, at), pick(applications, of)]
      const listed = await user.client.get('/api/users/@me/authorizations')
      expectOutcome(listed, '200')
      const isListed = listed.body.some(
        (one: { application: TestApplication }) => one.application.id === application.id,
      )
      const path = `/api/users/@me/authorizations/${application.id}`
      const reply = await user.client.json('DELETE', path)
      expectOutcome(reply, isListed ? '204' : '404 not_found')
      for (const grant of grants) if (grant.user === user && grant.application === application) revoke(grant)
    },
  ),
])
