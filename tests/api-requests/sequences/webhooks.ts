import assert from 'node:assert/strict'
import { maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import type { TestClient, TestResponse, TestService } from '@gatehouse/testkit/service'
import fc from 'fast-check'
import {
  always,
  type Caller,
  expectOutcome,
  newest,
  newUser,
  pick,
  refusal,
  sequence,
  shortText,
  strangers,
  userCaller,
} from './steps.ts'

interface Webhook {
  id: string
  channel: Channel
  path: string
  deleted: boolean
  /** The paths with earlier tokens. */
  oldPaths: string[]
}

interface Channel {
  id: string
  deleted: boolean
}

interface Message {
  id: string
  webhook: Webhook
  content: string
  deleted: boolean
}

interface State {
  /** The owner of the server, a member, and others. */
  callers: Caller[]
  anyone: TestClient
  channels: Channel[]
  webhooks: Webhook[]
  messages: Message[]
}

const unknownWebhook = '404 10015'
const hasChannel = ({ channels }: State) => channels.length > 0
const hasWebhook = ({ webhooks }: State) => webhooks.length > 0
const hasMessage = ({ messages }: State) => messages.length > 0
const isGone = ({ deleted, channel }: Webhook) => deleted || channel.deleted
const by = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 4 }))

/** The owner manages webhooks, members do not, and others, like the bot, do not see the channel. */
function manageRefusal({ callers }: State, caller: Caller, channel: Channel): string | undefined {
  const refused = refusal(caller, ['user', 'bot'])
  if (refused) return refused
  if (channel.deleted || caller.kind === 'bot') return '404 not_found'
  return caller === callers[0] ? undefined : '403 missing_permission'
}

type Post = (client: TestClient, path: string, text: string) => Promise<TestResponse>

function multipart(client: TestClient, path: string, name: string, value: object, headers = {}) {
  const part = `Content-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}`
  return client.send(path, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
    body: `--x\r\n${part}\r\n--x--\r\n`,
  })
}

const github = { 'x-github-event': 'issues' }

function issue(title: string): object {
  const url = 'https://github.com/example/web/issues/7'
  return {
    action: 'opened',
    issue: { number: 7, title, html_url: url },
    repository: { full_name: 'example/web' },
    sender: { login: 'ana' },
  }
}

/** Each format, with what its success and an unknown webhook respond. */
const formats: Record<string, { post: Post; accepted: string; unknown: string }> = {
  json: {
    post: (client, path, content) => client.json('POST', path, { content }),
    accepted: '204',
    unknown: unknownWebhook,
  },
  wait: {
    post: (client, path, content) => client.json('POST', `${path}?wait=true`, { content }),
    accepted: '200',
    unknown: unknownWebhook,
  },
  embed: {
    post: (client, path, title) => client.json('POST', `${path}?wait=true`, { embeds: [{ title }] }),
    accepted: '200',
    unknown: unknownWebhook,
  },
  form: {
    post: (client, path, content) => client.form(`${path}?wait=true`, { content }),
    accepted: '200',
    unknown: unknownWebhook,
  },
  multipart: {
    post: (client, path, content) => multipart(client, path, 'payload_json', { content }),
    accepted: '204',
    unknown: unknownWebhook,
  },
  slack: {
    post: (client, path, text) => client.json('POST', `${path}/slack`, { text }),
    accepted: '200',
    unknown: '404 no_service',
  },
  slackForm: {
    post: (client, path, text) => client.form(`${path}/slack`, { payload: JSON.stringify({ text }) }),
    accepted: '200',
    unknown: '404 no_service',
  },
  slackMultipart: {
    post: (client, path, text) => multipart(client, `${path}/slack`, 'payload', { text }),
    accepted: '200',
    unknown: '404 no_service',
  },
  github: {
    post: (client, path, title) => client.json('POST', `${path}/github`, issue(title), github),
    accepted: '204',
    unknown: unknownWebhook,
  },
  githubForm: {
    post: (client, path, title) =>
      client.form(`${path}/github`, { payload: JSON.stringify(issue(title)) }, github),
    accepted: '204',
    unknown: unknownWebhook,
  },
  githubMultipart: {
    post: (client, path, title) => multipart(client, `${path}/github`, 'payload', issue(title), github),
    accepted: '204',
    unknown: unknownWebhook,
  },
}

async function start(service: TestService): Promise<State> {
  const [owner, member] = [await newUser(service), await newUser(service)]
  const { id } = await owner.client.request<{ id: string }>('POST', '/api/servers', { name: 'Builds' })
  const invite = await owner.client.request<{ code: string }>('POST', `/api/servers/${id}/invites`, {})
  await member.client.request('POST', `/api/invites/${invite.code}`)
  const channels = await owner.client.request<{ id: string }[]>('GET', `/api/servers/${id}/channels`)
  const callers = [userCaller(owner), userCaller(member), ...(await strangers(service, owner))]
  return {
    callers,
    anyone: service.client(),
    channels: channels.map(channel => ({ id: channel.id, deleted: false })),
    webhooks: [],
    messages: [],
  }
}

/** Webhooks with their messages. */
export const webhooks = sequence<State>('webhooks', start, step => [
  step(1, 'create channel', always, fc.constant(null), async ({ callers, channels }) => {
    const [owner] = callers
    const servers = await owner?.send('GET', '/api/users/@me/servers')
    const reply = await owner?.send('POST', `/api/servers/${servers?.body[0].id}/channels`, {
      name: 'builds',
    })
    assert.ok(reply && expectOutcome(reply, '201'))
    channels.push({ id: reply.body.id, deleted: false })
  }),
  step(1, 'delete channel', hasChannel, fc.record({ at: newest }), async ({ callers, channels }, { at }) => {
    const channel = pick(channels, at)
    const reply = await callers[0]?.send('DELETE', `/api/channels/${channel.id}`)
    assert.ok(reply)
    if (expectOutcome(reply, channel.deleted ? '404 not_found' : '204')) channel.deleted = true
  }),
  step(
    2,
    'create webhook',
    hasChannel,
    fc.record({ by, at: newest, name: shortText }),
    async (state, { by, at, name }) => {
      const [caller, channel] = [pick(state.callers.toReversed(), by), pick(state.channels, at)]
      const count = state.webhooks.filter(webhook => webhook.channel === channel && !webhook.deleted).length
      const reply = await caller.send('POST', `/api/channels/${channel.id}/webhooks`, { name })
      const limit = count < maxWebhooksPerChannel ? undefined : '400 webhook_limit'
      if (!expectOutcome(reply, manageRefusal(state, caller, channel) ?? limit ?? '201')) return
      const { id, url } = reply.body
      state.webhooks.push({ id, channel, path: new URL(url).pathname, deleted: false, oldPaths: [] })
    },
  ),
  step(
    2,
    'manage webhook',
    hasWebhook,
    fc.record({ by, at: newest, name: shortText, method: fc.constantFrom('PATCH', 'POST', 'DELETE', 'GET') }),
    async (state, { by, at, name, method }) => {
      const [caller, webhook] = [pick(state.callers.toReversed(), by), pick(state.webhooks, at)]
      const refused =
        manageRefusal(state, caller, webhook.channel) ?? (webhook.deleted ? '404 not_found' : undefined)
      const path = `/api/channels/${webhook.channel.id}/webhooks/${webhook.id}`
      const suffix = method === 'POST' ? '/token' : method === 'GET' ? '/deliveries' : ''
      const reply = await caller.send(method, path + suffix, method === 'PATCH' ? { name } : undefined)
      if (!expectOutcome(reply, refused ?? (method === 'DELETE' ? '204' : '200'))) return
      if (method === 'DELETE') webhook.deleted = true
      if (method !== 'POST') return
      webhook.oldPaths.push(webhook.path)
      webhook.path = new URL(reply.body.url).pathname
    },
  ),
  step(
    4,
    'post',
    hasWebhook,
    fc.record({ at: newest, text: shortText, format: fc.constantFrom(...Object.keys(formats)) }),
    async ({ anyone, webhooks, messages }, { at, text, format }) => {
      const webhook = pick(webhooks, at)
      const { post, accepted, unknown } = formats[format] ?? assert.fail(format)
      const reply = await post(anyone, webhook.path, text)
      if (!expectOutcome(reply, isGone(webhook) ? unknown : accepted)) return
      if (reply.body?.id)
        messages.push({ id: reply.body.id, webhook, content: reply.body.content, deleted: false })
    },
  ),
  step(
    1,
    'post with an earlier token',
    ({ webhooks }) => webhooks.some(webhook => webhook.oldPaths.length > 0),
    fc.record({ at: newest, text: shortText }),
    async ({ anyone, webhooks }, { at, text }) => {
      const { oldPaths } = pick(
        webhooks.filter(webhook => webhook.oldPaths.length > 0),
        at,
      )
      expectOutcome(await anyone.json('POST', pick(oldPaths, at), { content: text }), unknownWebhook)
    },
  ),
  step(
    1,
    'webhook by token',
    hasWebhook,
    fc.record({
      at: newest,
      name: shortText,
      method: fc.constantFrom('GET', 'GET', 'PATCH', 'PATCH', 'DELETE'),
    }),
    async ({ anyone, webhooks }, { at, name, method }) => {
      const webhook = pick(webhooks, at)
      const reply = await anyone.json(method, webhook.path, method === 'PATCH' ? { name } : undefined)
      const accepted = method === 'DELETE' ? '204' : '200'
      if (!expectOutcome(reply, isGone(webhook) ? unknownWebhook : accepted)) return
      if (method === 'DELETE') webhook.deleted = true
      else assert.equal(reply.body.id, webhook.id)
    },
  ),
  step(
    4,
    'message of a webhook',
    hasMessage,
    fc.record({ at: newest, of: newest, text: shortText, method: fc.constantFrom('GET', 'PATCH', 'DELETE') }),
    async ({ anyone, webhooks, messages }, { at, of, text, method }) => {
      const message = pick(messages, at)
      // Sometimes by the URL of another webhook.
      const webhook = of === 1 ? pick(webhooks, at) : message.webhook
      const isKnown = webhook === message.webhook && !message.deleted
      const refused = isGone(webhook) ? unknownWebhook : isKnown ? undefined : '404 10008'
      const body = method === 'PATCH' ? { content: text } : undefined
      const reply = await anyone.json(method, `${webhook.path}/messages/${message.id}`, body)
      if (!expectOutcome(reply, refused ?? (method === 'DELETE' ? '204' : '200'))) return
      if (method === 'PATCH') message.content = text
      if (method === 'DELETE') message.deleted = true
      else assert.equal(reply.body.content, message.content)
    },
  ),
  step(
    1,
    'delete the message of a webhook as a member',
    hasMessage,
    fc.record({ by, at: newest }),
    async (state, { by, at }) => {
      const [caller, message] = [pick(state.callers.toReversed(), by), pick(state.messages, at)]
      const { id, webhook } = message
      const refused =
        refusal(caller, ['user', 'bot']) ??
        (caller.kind === 'bot' || webhook.channel.deleted || message.deleted ? '404 not_found' : undefined) ??
        (caller === state.callers[0] ? undefined : '403 missing_permission')
      const reply = await caller.send('DELETE', `/api/channels/${webhook.channel.id}/messages/${id}`)
      if (expectOutcome(reply, refused ?? '204')) message.deleted = true
    },
  ),
])
