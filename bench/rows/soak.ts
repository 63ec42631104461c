import { setTimeout as wait } from 'node:timers/promises'
import { addMembers } from '@gatehouse/testkit/fixture'
import type { Row, Target } from '../bench.ts'
import { runOpenLoop } from '../load/open-loop.ts'
import { quantile } from '../load/statistics.ts'
import type { SoakReport } from '../peers/soak-bot.ts'

const memberCount = 1000
const channelCount = 40
const rate = 200
/** The time for the last messages to arrive. */
const patienceMs = 30_000

export function soakRow(seconds: number): Row {
  return {
    name: 'soak',
    what: `${memberCount} members chat in ${channelCount} channels, one bot listens and answers, two lost connections`,
    async run(bench) {
      const ms = (bench.short ? Math.min(seconds, 10) : seconds) * 1000
      const target = await bench.target()
      const { service, ports, fixture } = target
      const { client } = fixture.user
      const application = `/api/applications/${fixture.application.id}`
      await client.request('PATCH', application, { privilegedIntents: ['messageContent'] })
      const channels = await Promise.all(
        Array.from({ length: channelCount }, (_, index) =>
          client.request<{ id: string }>('POST', `/api/servers/${fixture.serverId}/channels`, {
            name: `soak-${index}`,
          }),
        ),
      )
      // Passwords take processor time, so several members register at the same time.
      const parts = await Promise.all(
        Array.from({ length: 4 }, () => addMembers(service, fixture, memberCount / 4)),
      )
      const cookies = parts.flat().map(member => member.client.cookieHeader())
      const bot = await bench.startPeer('soak-bot.ts', service.url, fixture.bot.token)

      const total = Math.floor((rate * ms) / 1000)
      // The loop starts with the second one.
      const requests = Array.from({ length: total + 1 }, (_, number) => ({
        method: 'POST',
        path: `/api/channels/${channels[number % channelCount]?.id}/messages`,
        headers: {
          'content-type': 'application/json',
          origin: service.url,
          cookie: cookies[number % memberCount] ?? '',
        },
        body: JSON.stringify({ content: `soak ${number}`, nonce: `soak ${number}` }),
      }))
      const disconnect = async (afterMs: number) => {
        await wait(afterMs)
        await bot.ask('disconnect')
      }
      const disconnects = disconnect(ms / 3).then(() => disconnect(ms / 3))
      const load = await runOpenLoop({ port: ports, rate, requests, isOver: at => at > ms + 1 })
      await disconnects

      const numbers = Array.from({ length: total }, (_, index) => index + 1)
      const answered = numbers.filter(number => number % 10 === 0)
      const expected = [
        ...numbers.map(number => `soak ${number}`),
        ...answered.map(number => `answer ${number}`),
      ]
      for (
        let waited = 0;
        waited < patienceMs && (await bot.ask<number>('count')) < expected.length;
        waited += 100
      )
        await wait(100)
      const report = await bot.ask<SoakReport>('report')
      bot.stop()
      const stored = await countStored(
        target,
        channels.map(({ id }) => id),
      )
      const wrong = (counts: Readonly<Record<string, number>>) => ({
        lost: expected.filter(text => counts[text] === undefined).length,
        doubled: Object.values(counts).filter(count => count > 1).length,
      })
      const view = wrong(report.received)
      const history = wrong(stored)
      const faults = view.lost + view.doubled + history.lost + history.doubled
      const sorted = (delays: number[]) => Float64Array.from(delays).sort()
      const delays = sorted(report.delays)
      const p99 = quantile(delays, 0.99)
      const of = (delays: ArrayLike<number>, q: number) => quantile(delays, q).toFixed(0)
      const reconnecting = sorted(report.delaysOfReconnects)
      const errors = { ...load.errors, ...report.errors }
      return [
        {
          what: `${total} messages and ${answered.length} answers, lost connections: ${report.reconnects.join(', ')}`,
          sides: {
            'the bot': `${view.lost} lost, ${view.doubled} doubled`,
            'the history': `${history.lost} lost, ${history.doubled} doubled`,
          },
          figure: `${faults} lost or doubled`,
          goal: 'none',
          isReached: faults === 0 && report.reconnects.length === 2,
          isRequired: true,
          errors,
        },
        {
          what: `from the creation of a message to the bot, ${rate} messages a second`,
          sides: {
            connected: `p50 ${of(delays, 0.5)} ms, p99 ${of(delays, 0.99)} ms, the last ${of(delays, 1)} ms`,
            'after a resume': `${reconnecting.length} messages, the last ${of(reconnecting, 1)} ms`,
            requests: `p50 ${load.p50.toFixed(1)} ms, p99 ${load.p99.toFixed(1)} ms, ${load.perSecond.toFixed(0)}/s`,
          },
          figure: `p99 ${p99.toFixed(0)} ms`,
          goal: 'p99 100 ms',
          isReached: p99 < 100,
          errors,
        },
      ]
    },
  }
}

/** How often each text is in the history of the channels. */
async function countStored(
  { fixture }: Target,
  channelIds: readonly string[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const channelId of channelIds) {
    let before = ''
    for (;;) {
      const path = `/api/channels/${channelId}/messages?limit=100${before}`
      const page = await fixture.user.client.request<{ id: string; content: string }[]>('GET', path)
      for (const { content } of page) counts[content] = (counts[content] ?? 0) + 1
      if (page.length < 100) break
      before = `&before=${page.at(-1)?.id}`
    }
  }
  return counts
}
