import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestLine } from './endpoints.ts'

test('a request has the parameters of its path, encoded, and the members of the query that are not undefined', () => {
  const role = { id: '1', roleId: 'a/b' }
  assert.deepEqual(requestLine('deleteRole', role), { method: 'DELETE', path: '/api/servers/1/roles/a%2Fb' })
  assert.equal(requestLine('getMember', { id: '1', userId: '@me' }).path, '/api/servers/1/members/@me')
  const query = { limit: 5, after: undefined, channelId: 'a&b' }
  const { path } = requestLine('listMembers', { id: '1', query })
  assert.equal(path, '/api/servers/1/members?limit=5&channelId=a%26b')
  assert.equal(requestLine('listBans', { id: '1', query: {} }).path, '/api/servers/1/bans')
})
