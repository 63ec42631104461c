import { type Bench, inTurn, joinErrors, medianOf, type Result, type Row } from '../bench.ts'
import type { ClosedResult } from '../load/closed.ts'
import type { Ports } from '../load/ports.ts'
import type { Scenario, TokenClient } from '../load/scenarios.ts'
import { type ProviderRequest, client as peerClient } from '../peers/client.ts'
import { authorizePath } from '../world.ts'

type Same = Extract<Scenario, { kind: 'same' }>

interface Side {
  port: Ports
  scenario: Same
}

export const userinfoRow: Row = {
  name: 'userinfo',
  what: 'userinfo',
  async run(bench) {
    const { service, ports, world } = await bench.subject()
    const provider = await bench.startPeer('provider.ts')
    const path = authorizePath(world.client, 'identify')
    const { found } = await bench.load.run('closed', {
      port: service.port,
      connections: 1,
      ms: 5000,
      scenario: { kind: 'codes', path, cookie: world.cookie, count: 1 },
    })
    const ours = await accessToken(service.port, '/api/oauth2/token', found[0] ?? '', world.client)
    // Its userinfo asks for `openid`, as the standard does.
    const [code = ''] = await provider.ask<string[]>({
      codes: 1,
      scope: 'openid identify',
    } satisfies ProviderRequest)
    const theirs = await accessToken(provider.port, '/token', code, peerClient)
    return compare(bench, [
      {
        what: 'userinfo against oidc-provider',
        ours: { port: ports, scenario: get('/api/oauth2/userinfo', ours) },
        theirs: { port: provider.port, scenario: get('/me', theirs) },
        goal: 3,
      },
    ])
  },
}

export const webhookRow: Row = {
  name: 'webhook',
  what: 'webhook post, with wait=true and without',
  async run(bench) {
    const { ports, world } = await bench.subject()
    const peer = await bench.startPeer('posts.ts', `${bench.folder}/posts.db`)
    const results = await compare(
      bench,
      ['?wait=true', ''].map(query => ({
        what: `webhook post${query === '' ? ', without wait' : ', wait=true'}, against a bare insert`,
        ours: { port: ports, scenario: post(`${world.webhook}${query}`, query !== '') },
        theirs: { port: peer.port, scenario: post(`/posts${query}`, query !== '') },
        goal: 0.6,
      })),
    )
    peer.stop()
    return results
  },
}

interface Comparison {
  what: string
  ours: Side
  theirs: Side
  goal: number
}

/** All of them in every round: one that came after the other would meet another moment of the machine. */
async function compare(bench: Bench, comparisons: readonly Comparison[]): Promise<Result[]> {
  const { load, ms, connections } = bench
  const run = ({ port, scenario }: Side) => load.run('closed', { port, connections, ms, scenario })
  const once = async ({ ours, theirs }: Comparison) => ({ ours: await run(ours), theirs: await run(theirs) })
  const rounds = await inTurn(
    bench.rounds,
    Object.fromEntries(comparisons.map(comparison => [comparison.what, () => once(comparison)])),
  )
  return comparisons.map(comparison => {
    return resultOf(
      comparison,
      rounds.flatMap(round => round[comparison.what] ?? []),
    )
  })
}

function resultOf(
  { what, goal }: Comparison,
  rounds: readonly Record<'ours' | 'theirs', ClosedResult>[],
): Result {
  const ratio = medianOf(rounds, round => round.ours.perSecond / round.theirs.perSecond)
  const words = (name: 'ours' | 'theirs') =>
    `${medianOf(rounds, round => round[name].perSecond).toFixed(0)}/s, p99 ` +
    `${medianOf(rounds, round => round[name].p99).toFixed(1)} ms`
  return {
    what,
    sides: { ours: words('ours'), peer: words('theirs') },
    figure: goal < 1 ? `${(ratio * 100).toFixed(0)} %` : `${ratio.toFixed(2)}×`,
    goal: goal < 1 ? `${goal * 100} %` : `${goal}×`,
    holds: ratio >= goal,
    errors: joinErrors(...rounds.flatMap(round => [round.ours.errors, round.theirs.errors])),
  }
}

function get(path: string, token: string): Same {
  const headers = { authorization: `Bearer ${token}` }
  return { kind: 'same', method: 'GET', path, headers, expect: { status: 200, contains: '"sub"' } }
}

function post(path: string, wait: boolean): Same {
  return {
    kind: 'same',
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Deployed **gatehouse** to production in 42 s.' }),
    expect: wait ? { status: 200, contains: '"channel_id"' } : { status: 204 },
  }
}

export async function accessToken(
  port: number,
  path: string,
  code: string,
  client: TokenClient,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirectUri,
      client_id: client.id,
      client_secret: client.secret,
    }),
  })
  // A parse edge: RFC 6749 §5.1.
  const { access_token: token } = (await answer.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`no access token: ${answer.status}`)
  return token
}
