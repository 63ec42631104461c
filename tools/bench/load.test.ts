import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenHttp } from '@gatehouse/testkit/listen'
import { closedLoop, type Load, openLoop, send } from './load.ts'
import { compare } from './report.ts'

test('an unexpected response is an error of the row, in a closed and in an open loop', async t => {
  const { port } = await listenHttp(t, ({ url = '' }, response) => {
    if (url === '/closed') response.destroy()
    else response.writeHead(url === '/good' ? 200 : 503).end(url)
  })
  const server = { ports: [port], pids: () => [process.pid] }
  const closed = (path: string, contains: string) => () =>
    closedLoop(server, { requests: [{ path }], status: 200, contains, connections: 2, amount: 4 })
  const open = (path: string) => () =>
    openLoop(server, { rate: 1000, seconds: 0.004 }, () => send(server, { method: 'GET', path, status: 200 }))
  async function isValid(ours: () => Promise<Load>): Promise<boolean> {
    const options = { short: true, rounds: 1, engine: 'sqlite', nodes: 1 } as const
    return (await compare(options, '', { ours }, {})).isValid
  }
  for (const ours of [closed('/good', 'good'), open('/good')]) assert.equal(await isValid(ours), true)
  const bad = [closed('/bad', ''), closed('/good', 'other'), closed('/closed', '')]
  for (const ours of [...bad, open('/bad'), open('/closed')]) assert.equal(await isValid(ours), false)
})
