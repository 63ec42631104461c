import { type Bench, inTurn, joinErrors, medianOf, type Result, type Row, type Subject } from '../bench.ts'
import { fill } from '../large.ts'
import type { ClosedResult } from '../load/closed.ts'
import type { Scenario } from '../load/scenarios.ts'
import { authorizePath } from '../world.ts'
import { accessToken } from './requests.ts'

const large = { users: 100_000, messages: 1_000_000, channels: 1000, tokens: 1_000_000 }
// Only tests that the row works. Its figures are meaningless at this size.
const small = { users: 1000, messages: 10_000, channels: 100, tokens: 10_000 }

/** Requests whose responses do not depend on the size of the database. */
const scenarios: Record<string, (subject: Subject, codes: string[], token: string) => Scenario> = {
  'code exchange and refresh': ({ world }, codes) => ({
    kind: 'tokens',
    path: '/api/oauth2/token',
    codes,
    client: world.client,
    idToken: false,
  }),
  'webhook post': ({ world }) => ({
    kind: 'same',
    method: 'POST',
    path: `${world.webhook}?wait=true`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Deployed.' }),
    expect: { status: 200, contains: '"channel_id"' },
  }),
  userinfo: (_subject, _codes, token) => ({
    kind: 'same',
    method: 'GET',
    path: '/api/oauth2/userinfo',
    headers: { authorization: `Bearer ${token}` },
    expect: { status: 200, contains: '"sub"' },
  }),
  'use of a command whose bot is not there': ({ world }) => ({
    kind: 'same',
    method: 'POST',
    path: '/api/interactions',
    headers: { cookie: world.cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({
      type: 'command',
      channelId: world.channelId,
      commandId: world.bot.commandId,
      options: [],
    }),
    expect: { status: 202, contains: '"id"' },
  }),
  'last 50 messages': ({ world }) => ({
    kind: 'same',
    method: 'GET',
    path: `/api/channels/${world.channelId}/messages`,
    headers: { cookie: world.cookie },
    expect: { status: 200, contains: '"content"' },
  }),
  'sign-in that leads straight back': ({ world }) => ({
    kind: 'codes',
    path: authorizePath(world.client, 'identify'),
    cookie: world.cookie,
    // Sent to another process as JSON, which has no infinity.
    count: Number.MAX_SAFE_INTEGER,
  }),
}

export const growthRow = (isLarge: boolean): Row => ({
  name: 'growth',
  ofOneNode: true,
  what: 'the same, with 1,000,000 messages, 100,000 users, 1,000,000 tokens (--large)',
  async run(bench) {
    const size = isLarge ? large : small
    const empty = await bench.startSubject()
    const full = await bench.startSubject()
    await full.service.end('SIGTERM')
    await fill(full.databaseUrl, full.world, size)
    await full.service.start()
    for (const subject of [empty, full]) await postMessages(bench, subject)
    const results: Result[] = []
    const tokens = new Map<Subject, string>()
    for (const subject of [empty, full]) tokens.set(subject, await fetchToken(bench, subject))
    for (const [what, scenarioOf] of Object.entries(scenarios)) {
      const measure = (subject: Subject) => async (): Promise<ClosedResult> => {
        const codes = what.startsWith('code') ? await fetchCodes(bench, subject, 4 * bench.ms) : []
        const scenario = scenarioOf(subject, codes, tokens.get(subject) ?? '')
        return bench.load.run('closed', {
          port: subject.service.port,
          connections: 50,
          ms: bench.ms,
          scenario,
        })
      }
      const rounds = await inTurn(bench.rounds, { empty: measure(empty), full: measure(full) })
      const ratio = medianOf(rounds, round => round.empty.perSecond / round.full.perSecond)
      const formatRate = (side: 'empty' | 'full') =>
        `${medianOf(rounds, round => round[side].perSecond).toFixed(0)}/s`
      results.push({
        what: `${what}, with ${size.messages} messages and tokens, ${size.users} users`,
        sides: { empty: formatRate('empty'), full: formatRate('full') },
        figure: `${ratio.toFixed(2)}× the time`,
        goal: '1.2× at most',
        holds: ratio <= 1.2,
        errors: joinErrors(...rounds.flatMap(round => [round.empty.errors, round.full.errors])),
      })
    }
    for (const { service } of [empty, full]) await service.end('SIGTERM')
    return results
  },
})

/** Posts messages, so that the last 50 are webhook messages on both sides. */
async function postMessages(bench: Bench, subject: Subject): Promise<void> {
  const scenario = scenarios['webhook post']?.(subject, [], '')
  if (scenario)
    await bench.load.run('closed', { port: subject.service.port, connections: 5, ms: 500, scenario })
}

async function fetchCodes(bench: Bench, { service, world }: Subject, count: number): Promise<string[]> {
  const { found } = await bench.load.run('closed', {
    port: service.port,
    connections: 50,
    ms: 3 * bench.ms,
    scenario: {
      kind: 'codes',
      path: authorizePath(world.client, 'identify'),
      cookie: world.cookie,
      count,
    },
  })
  return found
}

async function fetchToken(bench: Bench, subject: Subject): Promise<string> {
  const [code = ''] = await fetchCodes(bench, subject, 1)
  return accessToken(subject.service.port, '/api/oauth2/token', code, subject.world.client)
}
