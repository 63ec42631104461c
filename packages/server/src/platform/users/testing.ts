import assert from 'node:assert/strict'
import type { Client, Reply, TestService } from '../../testing.ts'

export const password = 'correct horse battery'

/** Registers `username` with `<username>@example.org` by the JSON route; the client is signed in afterwards. */
export async function register(client: Client, username: string, more: object = {}): Promise<Reply> {
  const reply = await client.json('POST', '/api/auth/register', {
    username,
    email: `${username}@example.org`,
    password,
    ...more,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply
}

/** The names of what a 400 finds wrong, as `path code`. */
export function faultsOf(reply: Reply): string[] {
  const errors: { path: string; code: string }[] = reply.body.errors
  return errors.map(({ path, code }) => `${path} ${code}`)
}

/** The hidden fields of the one form on a page. */
export function hiddenFields(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, unescaped(value)]))
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Opens a page and posts its form with what a person would fill in. */
export async function submit(
  client: Client,
  page: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { text } = await client.get(page)
  const action = /<form [^>]*action="([^"]*)"/.exec(text)?.[1]
  assert.ok(action, `no form on ${page}`)
  return client.form(action, { ...hiddenFields(text), ...fields }, headers)
}

/** The mails to an address, once there are `count` of them: some leave after the answer. */
export async function mailsTo(service: TestService, address: string, count: number) {
  const deadline = performance.now() + 10_000
  for (;;) {
    const mails = service.mails.filter(mail => mail.to === address)
    if (mails.length >= count) return mails
    assert.ok(performance.now() < deadline, `${mails.length} mails to ${address}, not ${count}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** The token of the newest of `count` mails to an address. */
export async function mailToken(service: TestService, address: string, count: number): Promise<string> {
  const mails = await mailsTo(service, address, count)
  const token = /\?token=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1]
  assert.ok(token, 'the mail holds no link')
  return token
}

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
