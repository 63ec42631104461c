import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { sendLateBody } from '@gatehouse/testkit/late-body'
import { eachService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { connectUser } from '../gateway/gateway-testing.ts'
import { createWorld, history, setEndpoint } from './interactions-testing.ts'

eachService(
  'an endpoint that has not responded delays the shutdown of the gateway by 4 s at most, and its response is not lost',
  async (t, service) => {
    const world = await createWorld(service)
    const endpoint = await setEndpoint(t, world)
    const { promise: called, resolve: call } = Promise.withResolvers<ServerResponse>()
    endpoint.respond = (_, response) => call(response)
    const client = await connectUser(service, world.ann)
    let restarted: Promise<void> | undefined
    const isRefused = () =>
      service
        .client()
        .get('/healthz')
        .then(
          () => false,
          () => true,
        )
    const created = await sendLateBody(
      world.ann.client,
      { method: 'POST', path: '/api/interactions' },
      { type: 'command', channelId: world.channelId, commandId: world.commands.ping, nonce: 'n' },
      async () => {
        restarted = service.restart()
        await waitUntil(isRefused)
        // The deadline of the interaction is three seconds later.
        service.clock.advance(3000)
      },
    )
    assert.equal(created.status, 202, created.text)
    const response = await called
    service.clock.advance(999)
    assert.deepEqual(client.takeFrames(), [])
    service.clock.advance(1)
    assert.deepEqual(await client.nextFrame(), { op: 7 })
    response.end(JSON.stringify({ type: 'message', data: { content: 'pong' } }))
    await restarted
    assert.equal((await history(world)).body[0].content, 'pong')
    assert.equal((await world.ann.client.get(`/api/interactions/${created.body.id}`)).body.state, 'answered')
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)
