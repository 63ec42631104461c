import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createWorld, setEndpoint } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('shows that an interaction is pending, then its response or the notice that the bot did not respond', async t => {
  const service = await startService(t, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
  const world = await createWorld(service)
  const endpoint = await setEndpoint(t, world)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems, connected } = await openAs(t, service, world.ann, path)
  await connected
  async function runPing(): Promise<ServerResponse> {
    const requested = Promise.withResolvers<ServerResponse>()
    endpoint.respond = (_, response) => requested.resolve(response)
    await page.getByLabel('Message #general').fill('/ping')
    await page.getByRole('option', { name: /ping/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByText(/Waiting for/).waitFor()
    return requested.promise
  }
  const failing = await runPing()
  failing.writeHead(500).end()
  service.clock.advance(3000)
  await page.getByText(/did not respond in time/).waitFor()
  await page.getByText(/Waiting for/).waitFor({ state: 'detached' })

  const succeeding = await runPing()
  succeeding.end(JSON.stringify({ type: 'message', data: { content: 'pong' } }))
  await page.getByLabel('Messages in general').getByText('pong').waitFor()

  await runPing()
  service.clock.advance(3000)
  await page
    .getByText(/did not respond in time/)
    .nth(1)
    .waitFor()
  assert.deepEqual(problems, [])
})
