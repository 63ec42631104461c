import assert from 'node:assert/strict'
import { registerWith } from '@gatehouse/testkit/community'
import type { TestClient, TestResponse, TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'

export const password = 'correct horse battery'

/** Registers a user with `password`. The client is signed in afterwards. */
export function register(client: TestClient, username: string, fields: object = {}): Promise<TestResponse> {
  return registerWith(client, username, { password, ...fields })
}

/** Registers like `register`, and verifies the email address with the mail. */
export async function registerVerified(
  service: TestService,
  client: TestClient,
  username: string,
  fields: object = {},
): Promise<TestResponse> {
  const response = await register(client, username, fields)
  await verifyEmail(service, client)
  return response
}

/** Verifies the email address of the signed-in user with the token of the registration mail. */
export async function verifyEmail(
  service: Pick<TestService, 'mails'>,
  client: Pick<TestClient, 'get' | 'json'>,
): Promise<void> {
  const { email } = (await client.get('/api/users/@me')).body
  const tokens = () =>
    service.mails
      .filter(mail => mail.to === email)
      .map(mail => /\/verify-email\?token=(\S+)/.exec(mail.text)?.[1])
      .filter(token => token !== undefined)
  await waitUntil(() => tokens().length > 0, `${email} did not receive a verification mail`)
  const reply = await client.json('POST', '/api/auth/email/verify', { token: tokens().at(-1) })
  assert.equal(reply.status, 204, reply.text)
}

/** Email addresses with invisible characters, or characters with a meaning in a header or a list of recipients. */
export const malformedAddresses = [
  'a\u0001b@x.y',
  'a@x\u007f.y',
  'a\r\nBcc: eve@x.y',
  'a,b@x.y',
  'a;b@x.y',
  'a@x,y.z',
  'a@x;y.z',
  'a:b@x.y',
  'a(b)@x.y',
  '"a b"@x.y',
  'a\\b@x.y',
  'a<b>@x.y',
  'a[b]@x.y',
  'a@[127.0.0.1]',
  'a@-x.y',
  'a@x_y.z',
  'a@x/y.z',
  'a@x.y.',
  'a\u202eb@x.y',
  'a\u200bb@x.y',
  'a\u2028b@x.y',
  'a\u00a0b@x.y',
]

/** The hidden fields of the forms on a page. */
export function hiddenFields(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Opens a page and posts its form with `fields`. */
export async function submit(
  client: TestClient,
  page: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const { text } = await client.get(page)
  const action = /<form [^>]*action="([^"]*)"/.exec(text)?.[1]
  assert.ok(action, `The page ${page} has no form.`)
  return client.form(action, { ...hiddenFields(text), ...fields }, headers)
}

/** The target of the page's link to the other language. */
export function otherLanguage(page: TestResponse): string {
  const href = /hreflang="[^"]*" href="([^"]*)"/.exec(page.text)?.[1]
  assert.ok(href, page.text)
  return unescapeHtml(href)
}

/** The mails to an address. Waits until there are `count`, because background tasks send some after the response. */
export async function mailsTo(service: TestService, address: string, count: number) {
  const mails = () => service.mails.filter(mail => mail.to === address)
  const problem = () =>
    `${address} has ${mails().length} of ${count} mails: ${mails().map(mail => mail.subject)}`
  await waitUntil(() => mails().length >= count, problem)
  return mails()
}

/** The subjects of the mails to an address, like `mailsTo`. */
export async function mailSubjects(service: TestService, address: string, count: number) {
  return (await mailsTo(service, address, count)).map(mail => mail.subject)
}

/** The token in the last of `count` mails to an address. */
export async function mailToken(service: TestService, address: string, count: number): Promise<string> {
  const mails = await mailsTo(service, address, count)
  const token = /\?token=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1]
  assert.ok(token, 'The mail has no link.')
  return token
}
