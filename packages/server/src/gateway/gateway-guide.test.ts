import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { botEventRules, CloseCode, Op } from '@gatehouse/protocol/gateway'
import { intents } from '@gatehouse/protocol/intents'
import * as limits from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { readTable } from '@gatehouse/testkit/markdown-tables'
import { startService } from '@gatehouse/testkit/service'
import { createBot, type GatewayClient, openSocket, sendMessage, terminate } from './gateway-testing.ts'

const guide = readFileSync(new URL('../../../../docs/gateway.md', import.meta.url), 'utf8')

const numbers: [string, number][] = [
  ['Milliseconds between two heartbeats', limits.heartbeatIntervalMs],
  ['Missed heartbeats that close the connection', limits.missedHeartbeats],
  ['Milliseconds to the identify', limits.identifyTimeoutMs],
  ['Seconds in which a session can be resumed', limits.resumeSeconds],
  ['Missed events of a session that can be resumed', limits.resumeEvents],
  ['Bytes of a frame of the client', limits.maxFrameBytes],
  [`Frames of the client in ${limits.frameWindowMs / 1000} seconds`, limits.framesPerWindow],
  [
    `Identifies of a bot in ${limits.rates.identifies.seconds} seconds, on all nodes`,
    limits.rates.identifies.count,
  ],
  [`Resumes of a bot in ${limits.rates.resumes.seconds} seconds, on all nodes`, limits.rates.resumes.count],
  ['Connections of a bot', limits.maxConnections],
  ['Connections from one IP address that have not identified', limits.maxUnidentifiedConnections],
  ['Bytes that wait for a client that reads slowly', limits.maxQueuedBytes],
  ['Count of shards', limits.maxShards],
  ['Servers for which one shard is advised', limits.serversPerShard],
]

test('docs/gateway.md has the numbers, opcodes, close codes and intents of the service', () => {
  assert.deepEqual(
    readTable(guide, '## Numbers'),
    numbers.map(([item, number]) => [item, String(number)]),
  )
  for (const sentence of [
    `Within ${limits.identifyTimeoutMs / 1000} seconds, send identify`,
    `no identify within ${limits.identifyTimeoutMs / 1000} seconds`,
    `larger than ${limits.maxFrameBytes / 1024} KiB`,
    `can be resumed for ${limits.resumeSeconds / 60} minutes`,
  ])
    assert.ok(guide.includes(sentence), sentence)
  const inOrder = (codes: object) => Object.values(codes).toSorted((a, b) => a - b)
  assert.deepEqual(
    readTable(guide, '## Close codes').map(([code]) => Number(code)),
    inOrder(CloseCode),
  )
  const [, frames = ''] = guide.split('\n## Frames\n')
  const opcodes = readTable(frames.slice(frames.indexOf('| opcode |') - 1))
  assert.deepEqual(
    opcodes.map(([opcode]) => Number(opcode)),
    inOrder(Op),
  )
  const listed = new Map(readTable(guide, '## Intents').map(([intent, events]) => [intent, events]))
  assert.deepEqual(
    [...listed.keys()],
    intents.map(intent => `\`${intent}\``),
  )
  for (const [name, rule] of Object.entries(botEventRules)) {
    if (rule === 'never' || rule.intent === 'always') continue
    assert.ok(listed.get(`\`${rule.intent}\``)?.includes(`\`${name}\``), name)
  }
})

/** The frames of a code block, with who sends them. */
function readSession(block: string | undefined) {
  return [...(block ?? '').matchAll(/^([<>]) (.*)$/gm)].map(([, sender, frame = '']) => ({
    isOfClient: sender === '>',
    frame: JSON.parse(frame),
  }))
}

/** The frame has all members of the documented one, with values of the same types, and the same numbers. */
function assertContains(actual: unknown, documented: unknown, path: string): void {
  assert.equal(typeof actual, typeof documented, path)
  if (typeof documented === 'number') assert.equal(actual, documented, path)
  if (typeof documented !== 'object' || documented === null) return
  for (const [name, value] of Object.entries(documented))
    assertContains((actual as Record<string, unknown>)[name], value, `${path}.${name}`)
}

test('the session of docs/gateway.md takes place as it is printed', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const { token, applicationId } = await createBot(service, ann)
  await addBot(ann.client, applicationId, server.id)
  const [connected, resumed] = [...guide.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block]) =>
    readSession(block),
  )
  assert.deepEqual([connected?.length, resumed?.length], [6, 4])
  const known = { sessionId: '' }

  async function play(client: GatewayClient, session: ReturnType<typeof readSession>): Promise<void> {
    for (const { isOfClient, frame } of session) {
      if (isOfClient) {
        const { d } = frame
        const { sessionId } = known
        const filled = typeof d === 'object' ? { ...d, token, ...('sessionId' in d ? { sessionId } : {}) } : d
        client.send({ ...frame, d: filled })
      } else {
        // The message of the resume was sent before it.
        if (frame.s === 2) await sendMessage(ann, general.id, 'hello')
        const actual = await client.nextFrame()
        assertContains(actual, frame, `${frame.op} ${frame.t ?? ''}`)
        assert.equal(actual.t, frame.t)
        if (frame.t === 'MESSAGE_CREATE') assert.equal(actual.d.content, frame.d.content)
        if (frame.t === 'READY') known.sessionId = actual.d.sessionId
      }
    }
  }

  const client = openSocket(service)
  await play(client, connected ?? [])
  await terminate(service, client)
  await sendMessage(ann, general.id, 'missed')
  await play(openSocket(service), resumed ?? [])
})
