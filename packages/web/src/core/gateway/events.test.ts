import assert from 'node:assert/strict'
import test from 'node:test'
import type { EventMap } from '@gatehouse/protocol/gateway'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'
import { maxLoadedMembers } from '../api/query-options.ts'
import { applyEvent, invalidateAfterGap } from './events.ts'

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

test('applies an event to the result of a request that is running', async t => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  t.after(() => queries.clear())
  const role = { id: '1', serverId: 's', name: 'Crew' }
  let respond: (roles: unknown[]) => void = () => {}
  const observer = new QueryObserver(queries, {
    queryKey: keys.roles('s'),
    queryFn: () => new Promise<unknown[]>(resolve => (respond = resolve)),
  })
  t.after(observer.subscribe(() => {}))
  const event = (name: keyof EventMap, d: unknown) =>
    applyEvent({ t: name, d } as never, { queries, selfId: '9' } as never)
  event('ROLE_CREATE', role)
  respond([])
  await settle()
  assert.deepEqual(queries.getQueryData(keys.roles('s')), [role])
  void observer.refetch()
  event('ROLE_DELETE', role)
  respond([role])
  await settle()
  assert.deepEqual(queries.getQueryData(keys.roles('s')), [])
})

test('requests the members of a large server again if an event leaves fewer than the maximum', async t => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } })
  t.after(() => queries.clear())
  const list = (length: number) => Array.from({ length }, (_, index) => ({ user: { id: String(index) } }))
  let requests = 0
  const observe = (serverId: string, length: number) => {
    const queryKey = keys.members(serverId)
    queries.setQueryData(queryKey, list(length))
    const queryFn = async () => {
      requests += 1
      return list(length)
    }
    t.after(new QueryObserver<unknown>(queries, { queryKey, queryFn }).subscribe(() => {}))
  }
  observe('small', maxLoadedMembers - 1)
  observe('large', maxLoadedMembers)
  const remove = (serverId: string, id: string) =>
    applyEvent({ t: 'MEMBER_REMOVE', d: { serverId, user: { id } } } as never, { queries } as never)
  remove('small', '5')
  remove('large', 'x')
  await settle()
  assert.equal(requests, 0)
  remove('large', '5')
  await settle()
  assert.equal(requests, 1)
})
