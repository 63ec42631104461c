import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { eachService, freePort } from '@gatehouse/testkit/service'
import { eachWebhook, setUpWebhook, type WebhookSetup } from './webhooks-testing.ts'

const root = join(import.meta.dirname, '../../../..')

/** The code blocks of docs/webhooks.md in one language. */
async function readCodeBlocks(language: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs/webhooks.md'), 'utf8')
  return page
    .split(/^```/m)
    .filter((_, index) => index % 2 === 1)
    .filter(block => block.startsWith(`${language}\n`))
    .map(block => block.slice(language.length + 1))
}

/** Runs a shell script in the folder of examples/alert.sh and returns its output. */
async function runShell(lines: string, env: Record<string, string>): Promise<string> {
  const child = spawn('sh', ['-ec', lines], {
    cwd: join(root, 'examples'),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([child.stdout, child.stderr].map(stream => stream.toArray()))
  const [code] = await once(child, 'close')
  const text = (await output).flat().join('')
  assert.equal(code, 0, `${lines}\n${text}`)
  return text
}

async function listMessages({ owner, general }: WebhookSetup): Promise<Message[]> {
  const reply = await owner.client.get(`/api/channels/${general.id}/messages`)
  return reply.body.reverse()
}

eachWebhook(
  'the shell commands in docs/webhooks.md create the messages that the document describes',
  async setup => {
    const lines = (await readCodeBlocks('sh')).join('').replace(/^WEBHOOK_URL=.*$/m, '')
    const yaml = (await readCodeBlocks('yaml')).join('')
    const action = /^ *run: (curl .*)$/m.exec(yaml)?.[1] ?? ''
    assert.match(action, /WEBHOOK_URL/)
    const env = { WEBHOOK_URL: setup.webhook.url, TEXT: 'CI failed: https://github.com/octo/hello?a=1&b=2' }
    await runShell(`hostname() { echo db1; }\n${lines}\n${action}`, env)
    const messages = await listMessages(setup)
    assert.deepEqual(
      messages.map(({ content, author }) => [content.split('\n')[0], author.displayName]),
      [
        ['Hello from outside', 'Alerts'],
        [messages[1]?.content, 'Alerts'],
        ['Done', 'Backup'],
        ['', 'Alerts'],
        ['Disk of db1', 'Alerts'],
        [env.TEXT, 'Alerts'],
      ],
    )
    assert.match(messages[1]?.content ?? '', /^Backup done:/)
    assert.deepEqual(messages[3]?.embeds, [
      { title: 'Build 7', url: 'https://ci.example/7', description: 'All green', color: 3066993 },
    ])
  },
)

/** Starts the Sentry relay of docs/webhooks.md. Returns a function that posts a body to it and returns the status. */
async function startRelay(
  t: TestContext,
  { webhook }: WebhookSetup,
): Promise<(body: string) => Promise<number>> {
  const [relay = ''] = await readCodeBlocks('js')
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-relay-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'relay.mjs')
  const announced = relay.replace('.listen(8080)', `.listen(${port}, () => console.log('ready'))`)
  assert.notEqual(announced, relay)
  await writeFile(file, announced)
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, WEBHOOK_URL: webhook.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  await once(child.stdout, 'data')
  return async body => (await fetch(`http://localhost:${port}/`, { method: 'POST', body })).status
}

const sentryRed = 0xe01e5a

eachService(
  'the Sentry relay in docs/webhooks.md converts what the older plugin sends',
  async (t, service) => {
    const setup = await setUpWebhook(service)
    const post = await startRelay(t, setup)
    // getsentry/sentry src/sentry/plugins/sentry_webhooks/plugin.py
    const issue = {
      id: '7',
      project: 'shop',
      project_name: 'Shop',
      project_slug: 'shop',
      logger: null,
      level: 'error',
      culprit: 'cart.checkout',
      message: 'TypeError: price is undefined',
      url: 'https://sentry.example/organizations/octo/issues/7/?referrer=webhooks_plugin',
      triggering_rules: ['Every new issue'],
      event: { event_id: 'f00', id: 'f00', tags: [['level', 'error']] },
    }
    assert.equal(await post(JSON.stringify(issue)), 204)
    assert.equal(await post('no JSON'), 502)
    assert.equal(await post(JSON.stringify({ ...issue, message: '' })), 204)
    const [first, second] = await listMessages(setup)
    assert.deepEqual(first?.embeds, [
      {
        title: '[Shop] TypeError: price is undefined',
        url: issue.url,
        description: 'cart.checkout',
        color: sentryRed,
      },
    ])
    assert.equal(second?.embeds[0]?.title, '[Shop] cart.checkout')
  },
  { env: { RATE_LIMITS: 'off' } },
)

eachService(
  'the Sentry relay in docs/webhooks.md converts what internal integrations send',
  async (t, service) => {
    const setup = await setUpWebhook(service)
    const post = await startRelay(t, setup)
    // docs.sentry.io, Integration Platform, Webhooks: an issue alert, a created issue, a metric alert.
    const web_url = 'https://sentry.example/organizations/octo/issues/7/'
    for (const data of [
      {
        event: {
          title: 'TypeError: price',
          culprit: 'cart.pay',
          url: 'https://sentry.example/api/0/',
          web_url,
          project: 1,
        },
        triggered_rule: 'Every new issue',
      },
      {
        issue: {
          title: 'TypeError: price',
          culprit: 'cart.pay',
          web_url,
          project: { id: '1', name: 'Shop' },
        },
      },
      {
        description_title: 'Resolved: Too many errors',
        description_text: '1000 events in the last 10 minutes',
        web_url,
        metric_alert: { alert_rule: {} },
      },
    ])
      assert.equal(await post(JSON.stringify({ action: 'triggered', data, actor: { id: 'sentry' } })), 204)
    const messages = await listMessages(setup)
    assert.deepEqual(
      messages.map(({ embeds }) => embeds[0]),
      [
        { title: 'TypeError: price', url: web_url, description: 'cart.pay', color: sentryRed },
        { title: '[Shop] TypeError: price', url: web_url, description: 'cart.pay', color: sentryRed },
        {
          title: 'Resolved: Too many errors',
          url: web_url,
          description: '1000 events in the last 10 minutes',
          color: sentryRed,
        },
      ],
    )
  },
  { env: { RATE_LIMITS: 'off' } },
)
