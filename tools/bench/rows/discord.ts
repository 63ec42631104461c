import { createBot } from '@gatehouse/bot'
import { Client, GatewayIntentBits } from 'discord.js'
import type { Bench, Target } from '../bench.ts'
import { type Load, openLoop } from '../load.ts'
import { compare, type Result } from '../report.ts'
import { openSocket } from '../sockets.ts'

type Send = (content: string) => Promise<unknown>

export async function* discord(bench: Bench): AsyncGenerator<Result> {
  const job = { rate: 50, seconds: bench.seconds }
  const target = await bench.target(bench.nodes)
  const { service, fixture } = target
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: `http://127.0.0.1:${service.port}/api` },
  })
  const bot = createBot({ url: `http://127.0.0.1:${service.port}`, token: fixture.bot.token })
  try {
    await client.login(fixture.bot.token)
    const channel = await client.channels.fetch(fixture.channelId)
    if (!channel?.isSendable()) throw new Error('discord.js does not have the channel')
    const sides = {
      ours: () => sendMessages(target, job, content => channel.send(content)),
      'our library': () =>
        sendMessages(target, job, content => bot.api.sendMessage(fixture.channelId, { content })),
    }
    const goals = { 'our library': { p99: { most: 1.2 } } }
    yield await compare(bench, `messages of discord.js, ${job.rate} a second`, sides, goals)
  } finally {
    await client.destroy()
  }
}

/** From the scheduled time of a message to its event on the socket of a user. */
async function sendMessages(
  target: Target,
  job: { rate: number; seconds: number },
  sendText: Send,
): Promise<Load> {
  const { service, ports, fixture } = target
  const arrivals = Array.from({ length: job.rate * job.seconds }, () => Promise.withResolvers<void>())
  const headers = { cookie: fixture.cookie, origin: service.url, 'sec-fetch-site': 'same-origin' }
  const onText = (frame: Buffer) => {
    const { t, d } = JSON.parse(String(frame))
    if (t === 'MESSAGE_CREATE') arrivals[Number(d.content)]?.resolve()
  }
  const port = ports.at(-1) ?? 0
  const user = await openSocket({ port, path: '/api/gateway/ws', headers, identify: {}, onText })
  const load = await openLoop(target, job, async number => {
    await sendText(String(number))
    await arrivals[number]?.promise
  })
  user.terminate()
  return load
}
