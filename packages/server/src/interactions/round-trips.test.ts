import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { assertRoundTrips } from '@gatehouse/testkit/round-trips'
import { eachService } from '@gatehouse/testkit/service'
import { buttons, createWorld, pressButton, receivedEvent, respond, runCommand } from './testing.ts'

eachService(
  'a command with its message waits five times for PostgreSQL: session, command, interaction, context of the bot, message',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    await assertRoundTrips(service, 5, () =>
      respond(world, runCommand(world, 'ping'), { type: 'message', data: { content: 'pong' } }),
    )
    let nonce = 0
    await assertRoundTrips(service, 5, () => {
      nonce++
      const request = runCommand(world, 'ping', { nonce: `nonce ${nonce}` })
      return respond(world, request, { type: 'message', data: { content: 'pong' } })
    })
  },
)

eachService('a button waits four times for PostgreSQL until the bot has the event', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const data = { content: 'Sure?', components: buttons('yes') }
  const { reply } = await respond(world, runCommand(world, 'ping'), { type: 'message', data })
  await assertRoundTrips(service, 4, () =>
    receivedEvent(world, pressButton(world, reply.body.message.id, 'yes')),
  )
})

eachService('a follow-up waits twice for PostgreSQL', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const answer = { type: 'message', data: { content: 'pong' } }
  const { event } = await respond(world, runCommand(world, 'ping'), answer)
  await assertRoundTrips(service, 2, async () => {
    const reply = await world.bot.followup(event, { content: 'again' })
    assert.equal(reply.status, 200, reply.text)
  })
})

eachService(
  'a callback whose body arrives after its headers is accepted, and one with a wrong bot token is not',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const { id, token } = await receivedEvent(world, runCommand(world, 'ping'))
    const body = JSON.stringify({ type: 'message', data: { content: 'pong' } })
    const send = async (botToken: string) => {
      const request = httpRequest(`${service.url}/api/interactions/${id}/${token}/callback`, {
        method: 'POST',
        headers: {
          authorization: `Bot ${botToken}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      request.flushHeaders()
      const responded = once(request, 'response')
      // With the response to another request, the headers have been handled.
      await service.client().get('/readyz')
      request.end(body)
      const [response] = await responded
      response.resume()
      return response.statusCode
    }
    const { token: ownToken } = world.bot
    assert.equal(await send(`${ownToken.slice(0, -1)}${ownToken.endsWith('x') ? 'y' : 'x'}`), 401)
    assert.equal(await send(ownToken), 200)
  },
)
