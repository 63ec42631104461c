import type { Bench, Target } from '../bench.ts'
import { type Load, openLoop, type Server, send } from '../load.ts'
import { compare, type Result } from '../report.ts'
import { openSocket } from '../sockets.ts'
import { json } from './requests.ts'

export async function* interaction(bench: Bench): AsyncGenerator<Result> {
  const isSqlite = bench.engine === 'sqlite'
  const peer = await bench.startPeer('bare.ts')
  const job = { rate: 200, seconds: bench.seconds }
  const sustained = { ...job, rate: isSqlite ? 2000 : 1000 }
  const ours = (of: typeof job) => bench.ourSides(async target => () => useCommands(target, of))
  const sides = { ...(await ours(job)), 'hops and inserts': () => relayFrames(peer, job) }
  const goals = { 'hops and inserts': { p50: { most: 1.5 } }, ours: { p99: { most: 10 } } }
  yield compare(bench, `interactions, ${job.rate} a second`, sides, isSqlite ? goals : {})
  const atMost = { ours: { p99: { most: 1000 } } }
  yield compare(bench, `interactions, ${sustained.rate} a second`, await ours(sustained), atMost)
}

/** Round trips by a key. One can end or fail before it is awaited. */
function createTrips() {
  const trips = new Map<string, PromiseWithResolvers<void>>()
  return (key: string) => {
    const trip = trips.get(key) ?? Promise.withResolvers<void>()
    trips.set(key, trip)
    trip.promise.catch(() => undefined)
    return trip
  }
}

/** From the scheduled time of a use to the message on the socket of the user. */
async function useCommands(target: Target, job: { rate: number; seconds: number }): Promise<Load> {
  const { service, ports, fixture } = target
  // The bot and the user are on different nodes if there are two.
  const [first = 0, second = first] = ports
  const path = '/api/gateway/ws'
  const tripOf = createTrips()
  const botHeaders = { ...json, authorization: `Bot ${fixture.bot.token}` }
  const response = JSON.stringify({ type: 'message', data: { content: 'You rolled 4.' } })
  const callback = { method: 'POST', headers: botHeaders, body: response, status: 200 }
  const onBotFrame = (frame: Buffer) => {
    const { t, d } = JSON.parse(String(frame))
    if (t !== 'INTERACTION_CREATE') return
    const request = { ...callback, path: `/api/interactions/${d.id}/${d.token}/callback` }
    send(target, request).catch(tripOf(d.id).reject)
  }
  const onUserFrame = (frame: Buffer) => {
    const { t, d } = JSON.parse(String(frame))
    if (t === 'MESSAGE_CREATE' && d.interaction) tripOf(d.interaction.id).resolve()
  }
  const headers = { cookie: fixture.cookie, origin: service.url, 'sec-fetch-site': 'same-origin' }
  const { token, commandId } = fixture.bot
  const bot = await openSocket({ port: first, path, identify: { token }, onText: onBotFrame })
  const user = await openSocket({ port: second, path, headers, identify: {}, onText: onUserFrame })
  const body = JSON.stringify({ type: 'command', commandId, options: [], channelId: fixture.channelId })
  const use = {
    method: 'POST',
    path: '/api/interactions',
    headers: { ...json, ...headers },
    body,
    status: 202,
  }
  const load = await openLoop(target, job, async number => {
    const { id } = JSON.parse(await send(target, use, number))
    await tripOf(id).promise
  })
  for (const socket of [bot, user]) socket.terminate()
  return load
}

/** Two WebSocket hops and two inserts, without HTTP. */
async function relayFrames(peer: Server, job: { rate: number; seconds: number }): Promise<Load> {
  const [port = 0] = peer.ports
  const tripOf = createTrips()
  const onUserFrame = (frame: Buffer) => tripOf(String(frame)).resolve()
  const bot = await openSocket({ port, path: '/bot', onText: (frame, socket) => socket.send(String(frame)) })
  const user = await openSocket({ port, path: '/user', onText: onUserFrame })
  const load = await openLoop(peer, job, number => {
    user.send(String(number))
    return tripOf(String(number)).promise
  })
  for (const socket of [bot, user]) socket.terminate()
  return load
}
