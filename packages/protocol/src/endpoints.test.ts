import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { operationGroups, pageGroups, requestLine } from './endpoints.ts'

const server = join(import.meta.dirname, '../../server/src')

test('the server declares each endpoint once, in the file of its group', () => {
  const declared = globSync('**/*-{routes,page}.ts', { cwd: server }).flatMap(file =>
    [...readFileSync(join(server, file), 'utf8').matchAll(/\((?:deps, )?'(\w+)'[,)]/g)].map(
      ([, id]) => `${basename(file).replace(/-(routes|page)\.ts$/, '')} ${id}`,
    ),
  )
  for (const [group, endpoints] of [...Object.entries(operationGroups), ...Object.entries(pageGroups)]) {
    for (const id of Object.keys(endpoints)) {
      const found = declared.filter(line => line.endsWith(` ${id}`))
      assert.deepEqual(found, [`${group} ${id}`], `${id} is not declared in ${group}-routes.ts`)
    }
  }
})

test('a request has the parameters of its path, encoded, and the members of the query that are not undefined', () => {
  const role = { id: '1', roleId: 'a/b' }
  assert.deepEqual(requestLine('deleteRole', role), { method: 'DELETE', path: '/api/servers/1/roles/a%2Fb' })
  const query = { limit: 5, after: undefined, channelId: 'a&b' }
  const { path } = requestLine('listMembers', { id: '1', query })
  assert.equal(path, '/api/servers/1/members?limit=5&channelId=a%26b')
  assert.equal(requestLine('listBans', { id: '1', query: {} }).path, '/api/servers/1/bans')
})
