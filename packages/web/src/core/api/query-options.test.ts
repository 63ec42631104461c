import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { createApi } from './client.ts'
import { maxLoadedMembers, membersQuery, untilExpiry } from './query-options.ts'

/** The ids of the loaded members on a server with the members 1 to `count`, for the user with the id `own`. */
async function loadMemberIds(count: number, own: number): Promise<number[]> {
  const member = (id: number) => ({ user: { id: String(id) } })
  const api = createApi({
    fetch: async path => {
      const url = new URL(String(path), 'http://localhost')
      if (url.pathname === '/api/servers/1/members/@me') return Response.json(member(own))
      assert.equal(url.pathname, '/api/servers/1/members')
      const after = Number(url.searchParams.get('after') ?? 0)
      const length = Math.min(Number(url.searchParams.get('limit')), count - after)
      return Response.json(Array.from({ length }, (_, index) => member(after + index + 1)))
    },
    onSignedOut: () => {},
  })
  const queries = new QueryClient()
  const members = await queries.fetchQuery(membersQuery(api, '1'))
  queries.clear()
  return members.map(({ user }) => Number(user.id))
}

test('the loaded members of a large server include the own member once', async () => {
  const first = Array.from({ length: maxLoadedMembers }, (_, index) => index + 1)
  assert.deepEqual(await loadMemberIds(150, 150), first.slice(0, 150))
  assert.deepEqual(await loadMemberIds(1500, 700), first)
  assert.deepEqual(await loadMemberIds(1500, 1400), [...first, 1400])
})

test('offers of servers are loaded again when the first of them expires', () => {
  const now = Date.parse('2026-01-15T12:00:00.000Z')
  const offers = ['2026-01-22T12:00:00.000Z', '2026-01-15T12:01:00.000Z'].map(expiresAt => ({ expiresAt }))
  assert.equal(untilExpiry([], now), false)
  assert.equal(untilExpiry(offers, now), 60_000)
  assert.equal(untilExpiry(offers, now + 60_000), 1000)
})
