import {
  type Engine,
  joinErrors,
  measureAlternately,
  medianOf,
  type Result,
  type Row,
  type Target,
} from '../bench.ts'
import { describeCosts, measureCosts } from '../costs.ts'
import { fillDatabase } from '../fill-database.ts'
import { type Goal, judge, times } from '../goals.ts'
import { runClosedLoop } from '../load/closed-loop.ts'
import type { Scenario } from '../load/scenarios.ts'
import { authorizations, commandUse, fetchCodes, json, tokens, userinfo, webhookPosts } from '../scenarios.ts'
import { fetchToken } from './requests.ts'

const large = { users: 100_000, messages: 1_000_000, channels: 1000, tokens: 1_000_000 }
// Only tests that the row works. Its figures are meaningless at this size.
const small = { users: 1000, messages: 10_000, channels: 100, tokens: 10_000 }

const goals: Record<Engine, Goal | undefined> = { sqlite: { most: 1.1 }, postgres: undefined }

/** Requests whose responses do not depend on the size of the database. */
const scenarios: Record<string, (target: Target, codes: string[], token: string) => Scenario> = {
  'code exchange and refresh': (target, codes) => tokens(target, codes),
  'webhook post': target => webhookPosts(target),
  userinfo: (_target, _codes, token) => userinfo('/api/oauth2/userinfo', token),
  'use of a command whose bot is not there': target => ({
    kind: 'same',
    method: 'POST',
    ...commandUse(target),
    headers: { ...json, cookie: target.fixture.cookie, 'sec-fetch-site': 'same-origin' },
    expect: { status: 202, contains: '"id"' },
  }),
  'last 50 messages': ({ fixture }) => ({
    kind: 'same',
    method: 'GET',
    path: `/api/channels/${fixture.channelId}/messages`,
    headers: { cookie: fixture.cookie },
    expect: { status: 200, contains: '"content"' },
  }),
  'sign-in that leads straight back': target => authorizations(target, Number.POSITIVE_INFINITY),
}

export const growthRow = (isLarge: boolean): Row => ({
  name: 'growth',
  ofOneNode: true,
  what: 'the same, with 1,000,000 messages, 100,000 users, 1,000,000 tokens (--large)',
  async run(bench) {
    const size = isLarge ? large : small
    const empty = await bench.startTarget()
    const full = await bench.startTarget()
    await full.service.end('SIGTERM')
    await fillDatabase(full.databaseUrl, full.fixture, size)
    await full.service.start()
    for (const target of [empty, full]) await postMessages(target)
    const results: Result[] = []
    const accessTokens = new Map<Target, string>()
    for (const target of [empty, full]) accessTokens.set(target, await fetchToken(target))
    for (const [what, scenarioOf] of Object.entries(scenarios)) {
      const measure = (target: Target) => async () => {
        const job = { count: 4 * bench.ms, connections: 50, ms: 3 * bench.ms }
        const codes = what.startsWith('code') ? (await fetchCodes(target, job)).found : []
        const scenario = scenarioOf(target, codes, accessTokens.get(target) ?? '')
        return measureCosts(target, () =>
          runClosedLoop({ port: target.service.port, connections: 50, ms: bench.ms, scenario }),
        )
      }
      const rounds = await measureAlternately(bench.rounds, { empty: measure(empty), full: measure(full) })
      const ratio = medianOf(rounds, round => round.empty.perSecond / round.full.perSecond)
      const costsOf = (side: 'empty' | 'full') => describeCosts(rounds.map(round => round[side].costs))
      const formatRate = (side: 'empty' | 'full') =>
        `${medianOf(rounds, round => round[side].perSecond).toFixed(0)}/s`
      results.push({
        what: `${what}, with ${size.messages} messages and tokens, ${size.users} users`,
        sides: {
          empty: formatRate('empty'),
          full: formatRate('full'),
          'costs, empty': costsOf('empty'),
          'costs, full': costsOf('full'),
        },
        ...judge(ratio, value => `${times(value)} the time`, goals[bench.engine]),
        errors: joinErrors(...rounds.flatMap(round => [round.empty.errors, round.full.errors])),
      })
    }
    for (const { service } of [empty, full]) await service.end('SIGTERM')
    return results
  },
})

/** Posts messages, so that the last 50 are webhook messages on both sides. */
async function postMessages(target: Target): Promise<void> {
  await runClosedLoop({ port: target.ports, connections: 5, ms: 500, scenario: webhookPosts(target) })
}
