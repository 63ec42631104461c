import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { verifyEmail } from '@gatehouse/testkit/accounts'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { startService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import {
  basic,
  challenge,
  decide,
  locationOf,
  makeApplication,
  signUp,
  type TestApplication,
  type Tokens,
  verifier,
} from '../oauth-testing.ts'
import { communitySoftware, type Software } from './community-software.fixture.ts'

const nonce = 'hzTGKoyDJK8XyA1bSgk7'

/** A member of a server, and an application that is bound to the server. */
interface Community {
  service: TestService
  user: TestUser
  application: TestApplication
}

/** The member has the role of the group `staff`. */
async function createCommunity(
  service: TestService,
  software: Software,
  settings = software.settings,
): Promise<Community> {
  const owner = await signUp(service, 'ada')
  const user = await signUp(service, 'bob')
  await verifyEmail(service, user.client)
  const { server } = await createServer(owner, user)
  const role = await owner.client.call('createRole', {
    id: server.id,
    body: { name: 'Staff', permissions: '0' },
  })
  await owner.client.call('addMemberRole', { id: server.id, userId: user.id, roleId: role.id })
  const application = await makeApplication(owner, {
    type: software.type ?? 'confidential',
    redirectUris: [software.redirectUri],
    postLogoutRedirectUris: software.logout?.registered === undefined ? [] : [software.logout.registered],
  })
  const { groupsClaim } = software
  await owner.client.call('updateApplication', {
    id: application.id,
    body: {
      ...settings,
      server: {
        id: server.id,
        membersOnly: true,
        groups: groupsClaim === undefined ? [] : [{ roleId: role.id, value: 'staff' }],
        groupsClaim: groupsClaim === 'roles' ? 'roles' : null,
      },
    },
  })
  return { service, user, application }
}

function fill(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    assert.ok(value !== undefined, name)
    return encodeURIComponent(value)
  })
}

/** The user deselects what the consent page lets them deselect. Returns the parameters of the redirect. */
async function authorize({ user, application }: Community, software: Software): Promise<URLSearchParams> {
  const query = fill(software.query, {
    client_id: application.id,
    redirect_uri: software.redirectUri,
    state: stateOf(software),
    nonce,
    challenge,
  })
  const reply = await user.client.get(`/oauth2/authorize?${query}`)
  const redirect = locationOf(reply.status === 200 ? await decide(user.client, reply, { allow: [] }) : reply)
  assert.equal(redirect.searchParams.get('state'), stateOf(software))
  return redirect.searchParams
}

function stateOf({ state = 'a1B2c3D4e5F6g7H8' }: Software): string {
  return state
}

function requestTokens(
  { service, application }: Community,
  software: Software,
  template: string,
  values: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  const { id, secret = '' } = application
  const body = fill(template, {
    client_id: id,
    client_secret: secret,
    redirect_uri: software.redirectUri,
    ...values,
  })
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(software.authentication === 'basic' ? basic(id, secret) : {}),
    ...(software.accept === undefined ? {} : { accept: software.accept }),
  }
  return service.client().send('/api/oauth2/token', { method: 'POST', headers, body })
}

async function exchange(community: Community, software: Software): Promise<Tokens> {
  const code = (await authorize(community, software)).get('code')
  assert.ok(code !== null)
  const reply = await requestTokens(community, software, software.exchange, { code, verifier })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

function readUserinfo({ service }: Community, software: Software, tokens: Tokens): Promise<TestResponse> {
  const { userinfoQuery = '', accept = '*/*' } = software
  const headers = { authorization: `Bearer ${tokens.access_token}`, accept }
  return service.client().get(`/api/oauth2/userinfo${userinfoQuery}`, headers)
}

async function assertClaims(community: Community, software: Software, tokens: Tokens): Promise<void> {
  const { user } = community
  const expected: Record<string, unknown> = {
    sub: user.id,
    preferred_username: user.username,
    name: `Name of ${user.username}`,
    email: user.email,
    email_verified: true,
    groups: ['staff'],
    roles: ['staff'],
  }
  const pick = (claims: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(names.map(name => [name, claims[name]]))
  if (software.idToken) {
    const claims = decodeJwt(tokens.id_token ?? '')
    assert.deepEqual(pick(claims, software.idToken), pick(expected, software.idToken))
  }
  if (software.userinfo) {
    const { body } = await readUserinfo(community, software, tokens)
    assert.deepEqual(pick(body, software.userinfo), pick(expected, software.userinfo))
  }
}

async function assertRefresh(
  community: Community,
  software: Software,
  template: string,
  tokens: Tokens,
): Promise<void> {
  const refresh = () => requestTokens(community, software, template, { refresh_token: tokens.refresh_token })
  const { status, text, body } = await refresh()
  assert.equal(status, 200, text)
  await assertClaims(community, software, body)
  if (software.settings?.refreshGrace) assert.deepEqual((await refresh()).body, body)
}

async function assertLogout(
  { user, application }: Community,
  { query, location }: NonNullable<Software['logout']>,
  tokens: Tokens,
): Promise<void> {
  const filled = fill(query, { client_id: application.id, id_token: tokens.id_token })
  const reply = await user.client.get(`/oauth2/logout?${filled}`)
  if (location === undefined) assert.equal(reply.status, 200, reply.text)
  else assert.equal(reply.headers.get('location'), location, reply.text)
}

for (const software of communitySoftware) {
  const { name, refresh, logout } = software

  test(`${name} signs a member in and reads the claims that it needs`, async t => {
    const community = await createCommunity(await startService(t), software)
    const tokens = await exchange(community, software)
    await assertClaims(community, software, tokens)
    if (tokens.id_token !== undefined) {
      const sent = software.query.includes('{nonce}') ? nonce : undefined
      assert.equal(decodeJwt(tokens.id_token).nonce, sent)
    }
    if (refresh !== undefined) await assertRefresh(community, software, refresh, tokens)
    if (logout) await assertLogout(community, logout, tokens)
  })
}

for (const software of communitySoftware) {
  const { name, withoutSettings } = software
  if (withoutSettings === undefined) continue

  test(`${name} needs its scopes in the developer console`, async t => {
    const community = await createCommunity(await startService(t), software, {})
    if (withoutSettings === 'invalid_scope') {
      assert.equal((await authorize(community, software)).get('error'), 'invalid_scope')
    } else {
      const reply = await readUserinfo(community, software, await exchange(community, software))
      assert.equal(reply.status, 403, reply.text)
      assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
    }
  })
}

test('docs/connect.md has the redirect URI and the settings of each', () => {
  const text = readFileSync(new URL('../../../../../docs/connect.md', import.meta.url), 'utf8')
  const sections = text.split('\n## ')
  const missing: string[] = []
  for (const { name, redirectUri, settings = {}, groupsClaim } of communitySoftware) {
    const [title = ''] = name.split(',')
    const section = sections.find(one => one.split('\n', 1)[0]?.includes(title)) ?? ''
    const { emailRequired, refreshGrace, defaultScopes, addedScopes = [] } = settings
    const parts = [
      redirectUri,
      emailRequired ? '**Email address required**' : '',
      refreshGrace ? '**Accept a used refresh token**' : '',
      defaultScopes ? '**Default scopes**' : '',
      addedScopes.includes('groups') ? '**Send always**' : '',
      addedScopes.includes('identify') ? '**Added scopes**' : '',
      groupsClaim === undefined ? '' : `\`${groupsClaim}\``,
    ]
    for (const part of parts) if (!section.includes(part)) missing.push(`${name}: ${part}`)
  }
  assert.deepEqual(missing, [])
})
