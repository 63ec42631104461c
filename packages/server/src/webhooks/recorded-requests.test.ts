import assert from 'node:assert/strict'
import { recordedRequests } from './recorded-requests.fixture.ts'
import { eachWebhook } from './webhooks-testing.ts'

interface ReceivedMessage {
  content: string
  author: { displayName: string; avatar: string | null }
  embeds: {
    title?: string
    description?: string
    color?: number
    fields?: { name: string; value: string }[]
  }[]
}

eachWebhook('accepts recorded requests of other programs, except files', async setup => {
  const { postRaw, owner, general } = setup
  const received = new Map<string, ReceivedMessage>()
  for (const { program, suffix, contentType, body } of recordedRequests) {
    const reply = await postRaw(body, contentType, suffix)
    if (program === 'apprise, a file') {
      assert.equal(reply.status, 400)
      assert.match(reply.body.message, /Files are not accepted/)
      continue
    }
    assert.deepEqual([reply.status, reply.text], suffix === '' ? [204, ''] : [200, 'ok'], program)
    const listed = await owner.client.get(`/api/channels/${general.id}/messages?limit=1`)
    received.set(program, listed.body[0])
  }
  const message = (program: string): ReceivedMessage => {
    const result = received.get(program)
    assert.ok(result, program)
    return result
  }
  const firing = message('alertmanager, firing').embeds[0]
  assert.deepEqual([firing?.title, firing?.color], ['[FIRING:1] DiskFull (db1 critical)', 10038562])
  assert.match(firing?.description ?? '', /^Alerts Firing:\n.* - summary = Disk is 97% full\n/s)
  const resolved = message('alertmanager, resolved, for Slack')
  assert.equal(resolved.author.displayName, 'Alertmanager')
  assert.deepEqual(resolved.embeds, [
    {
      title: '[RESOLVED] DiskFull (db1 critical)',
      url: 'http://alertmanager:9093/#/alerts?receiver=both',
      description: '[Runbook](https://runbooks.example/x)',
      color: 0x2eb67d,
      fields: [{ name: 'Severity', value: 'critical', inline: true }],
    },
  ])
  assert.equal(message('apprise, text').content, 'Backup failed\r\nThe disk of db1 is full.')
  assert.deepEqual(
    message('apprise, an embed with fields').embeds[0]?.fields?.map(({ name }) => name),
    ['Part one', 'Part two'],
  )
  assert.equal(message('apprise, for Slack').embeds[0]?.description, 'The disk of <db1> is **full**.')
  assert.equal(
    message('apprise, blocks for Slack').embeds[0]?.description,
    '**Backup failed**\nThe disk of db1 is full.\nApprise',
  )
})
