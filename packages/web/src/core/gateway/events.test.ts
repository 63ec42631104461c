import assert from 'node:assert/strict'
import test from 'node:test'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'
import { invalidateAfterGap } from './events.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

test('after a gap, fetches again what events keep up to date, also if its first request is running', async t => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  t.after(() => queries.clear())
  const requests: { key: string; respond(data: string): void }[] = []
  for (const queryKey of [keys.servers, keys.roles('1'), keys.applications]) {
    const observer = new QueryObserver<string>(queries, {
      queryKey,
      queryFn: () => new Promise(resolve => requests.push({ key: String(queryKey[0]), respond: resolve })),
    })
    t.after(observer.subscribe(() => {}))
  }
  const [servers, roles] = requests
  servers?.respond('before')
  await settle()
  invalidateAfterGap(queries)
  await settle()
  roles?.respond('before')
  await settle()
  assert.deepEqual(
    requests.map(({ key }) => key),
    ['servers', 'roles', 'applications', 'servers', 'roles'],
  )
  for (const { respond } of requests) respond('after')
  await settle()
  assert.equal(queries.getQueryData(keys.roles('1')), 'after')
})
