import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { translateTo } from '../../i18n/translate.ts'
import { createSite } from './site.ts'

interface Operation {
  operationId: string
  tags: [string]
}

/** Every page that links lead to, by its path. */
async function crawl(service: TestService): Promise<Map<string, string>> {
  const client = service.client()
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const reply = await client.get(path)
    assert.equal(reply.status, 200, path)
    pages.set(path, reply.text)
    waiting.push(...pathsIn(reply.text).filter(link => /^\/docs(\/|$)/.test(link) && !link.includes('.')))
  }
  return pages
}

function linksIn(page: string): string[] {
  return [...page.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link)
}

function pathsIn(page: string): string[] {
  return linksIn(page)
    .filter(link => link.startsWith('/'))
    .map(link => link.split(/[?#]/, 1)[0] ?? '')
}

function idsIn(page: string): string[] {
  return [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
}

function kebab(name: string): string {
  return name
    .replaceAll(' ', '-')
    .replace(/[A-Z]/g, (letter, at) => `${at > 0 && name[at - 1] !== ' ' ? '-' : ''}${letter.toLowerCase()}`)
}

test('community/api-reference: every operation, event and object has a page, and every link works', async t => {
  const service = await startService(t)
  const pages = await crawl(service)
  const client = service.client()
  const document = (await client.get('/api/openapi.json')).body
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, { parameters: _, ...methods }]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        path,
        method,
        operation,
      ]),
  )
  assert.ok(operations.length > 100)
  for (const [path, method, { tags, operationId }] of operations) {
    const page = pages.get(`/docs/api/${kebab(tags[0])}/${kebab(operationId)}`)
    assert.ok(page, operationId)
    assert.match(page, new RegExp(`>${method.toUpperCase()}</code> <code>${escapeForRegExp(path)}</code>`))
  }
  for (const { name } of document.tags) assert.ok(pages.has(`/docs/api/${kebab(name)}`), name)
  for (const name of Object.keys(document.components.schemas))
    assert.ok(pages.has(`/docs/objects/${name}`), name)
  const gateway = (await client.get('/api/asyncapi.json')).body
  for (const name of Object.keys(gateway.components.messages))
    assert.ok(pages.has(`/docs/gateway/${name}`), name)
  for (const path of ['/docs/gateway', '/docs/errors', '/docs/objects']) assert.ok(pages.has(path), path)
  for (const guide of ['sign-in', 'bots', 'webhooks']) assert.ok(pages.has(`/docs/guides/${guide}`), guide)
  await assertLinks(service, pages)
})

/** Every link leads to an element of a page, or to something that the service answers. Ids are unique. */
async function assertLinks(service: TestService, pages: ReadonlyMap<string, string>): Promise<void> {
  const ids = new Map([...pages].map(([path, page]) => [path, new Set(idsIn(page))]))
  const others = new Set<string>()
  for (const [path, page] of pages) {
    assert.equal(idsIn(page).length, ids.get(path)?.size, `ids of ${path}`)
    for (const link of linksIn(page)) {
      if (link.startsWith('http')) continue
      const [target = '', anchor] = link.split('#')
      const known = ids.get(target === '' ? path : target)
      if (known && anchor !== undefined) assert.ok(known.has(anchor), `${path}: ${link}`)
      if (!known) others.add(target)
    }
  }
  for (const path of others) {
    const { status } = await service.client().get(path)
    assert.ok(status === 200 || status === 303, `${path}: ${status}`)
  }
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

test('a page of an operation has its callers, fields, limits, errors, headers and samples', async t => {
  const client = (await startService(t)).client()
  const page = (await client.get('/docs/api/messages/create-message')).text
  for (const part of [
    'The session of a signed-in user.',
    'The token of a bot',
    'id="path-id"',
    'id="body-content"',
    'at most 2000 characters',
    'id="body-embeds-fields-name"',
    'at most 256 characters',
    'id="response-201-author-username"',
    'id="error-429"',
    '/docs/errors#ErrorBody-missing_permission',
    'Retry-After',
    'data-language="sh"',
    'data-language="js"',
    'data-language="python"',
    'bot.api.sendMessage',
  ])
    assert.ok(page.includes(part), part)
  const me = (await client.get('/docs/api/users/get-current-user')).text
  assert.match(me, /Scope: <code>identify<\/code>/)
  const execute = (await client.get('/docs/api/webhooks/execute-webhook')).text
  for (const part of [
    'id="query-wait"',
    'multipart/form-data',
    'X-RateLimit-Remaining',
    'DiscordError-50035',
  ])
    assert.ok(execute.includes(part), part)
})

test('the guides have tables, code and links to each other, with the URL of the service', async t => {
  const service = await startService(t)
  const page = (await service.client().get('/docs/guides/bots')).text
  assert.match(page, /<th scope="col">code<\/th>/)
  assert.ok(page.includes(`npm install ${service.url}/sdk/gatehouse-bot.tgz`))
  assert.ok(page.includes('<a href="/docs/guides/webhooks">webhooks.md</a>'))
  assert.ok(page.includes('<a href="#runtimes">'))
  // The service does not have this file.
  assert.ok(page.includes('examples/dice-bot'))
  assert.equal(page.includes('../examples'), false)
  assert.equal(page.includes('&lt;!--'), false)
})

eachService('pages are cached, compressed and revalidated', async (_t, service) => {
  const client = service.client()
  const first = await fetch(`${service.url}/docs/errors`, { headers: { 'accept-encoding': 'gzip' } })
  const etag = first.headers.get('etag') ?? ''
  assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
  assert.equal(first.headers.get('content-encoding'), 'gzip')
  assert.equal(first.headers.get('vary'), 'Accept-Encoding, Accept-Language, Cookie')
  assert.match(await first.text(), /<!doctype html>/)
  const again = await client.get('/docs/errors', { 'accept-encoding': 'gzip', 'if-none-match': etag })
  assert.equal(again.status, 304)
  const russian = await client.get('/docs/errors', {
    'accept-encoding': 'gzip',
    'accept-language': 'ru',
    'if-none-match': etag,
  })
  assert.equal(russian.status, 200)
  assert.equal(russian.headers.get('content-language'), 'ru')
  assert.match(russian.text, /<html lang="ru">/)
  for (const path of ['/docs/style.css', '/docs/script.js']) {
    const file = await client.get(path)
    assert.equal(file.status, 200)
    assert.equal((await client.get(path, { 'if-none-match': file.headers.get('etag') ?? '' })).status, 304)
  }
})

test('a page with its files has less than 300 KB, and its policy allows only files of the service', async t => {
  const { url } = await startService(t)
  async function sizeOf(path: string): Promise<number> {
    const reply = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    return Number(reply.headers.get('content-length'))
  }
  const page = await fetch(`${url}/docs/api/bots/create-callback`)
  const text = await page.text()
  const files = ['/pages.css', '/docs/style.css', '/docs/script.js', '/favicon.svg']
  for (const file of files) assert.ok(text.includes(`"${file}"`), file)
  const sizes = await Promise.all(['/docs/api/bots/create-callback', ...files].map(sizeOf))
  assert.ok(sizes.every(size => size > 0))
  assert.ok(sizes.reduce((sum, size) => sum + size) < 300_000)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; /,
  )
  assert.equal(/ style="| on\w+="|<script>/.test(text), false)
})

test('addresses that readers try redirect to the introduction (community/api-reference)', async t => {
  const client = (await startService(t)).client()
  const targets = { '/docs/': '/docs', '/docs/api': '/docs#operations', '/docs/guides': '/docs' }
  for (const [path, target] of Object.entries(targets)) {
    const reply = await client.get(path)
    assert.deepEqual([reply.status, reply.headers.get('location')], [303, target], path)
  }
  assert.ok((await client.get('/docs')).text.includes('id="operations"'))
})

test('an unknown address is a page with 404 and the contents, in both languages', async t => {
  const client = (await startService(t)).client()
  for (const path of [
    '/docs/nothing',
    '/docs/api/users/nothing',
    '/docs/objects/nothing',
    '/docs/guides/a/b/c/d',
  ]) {
    const reply = await client.get(path, { accept: 'application/json' })
    assert.equal(reply.status, 404, path)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(reply.text, /<h1>Page not found<\/h1>/)
    assert.ok(reply.text.includes('href="/docs/api/users"'))
  }
  const russian = await client.get('/docs/nothing', { 'accept-language': 'ru' })
  assert.match(russian.text, /<h1>Страница не найдена<\/h1>/)
  const posted = await client.send('/docs', { method: 'POST' })
  assert.equal(posted.status, 405)
  assert.equal(posted.headers.get('allow'), 'GET, HEAD')
})

test('the search finds operations, fields, events, errors and sections of guides', async t => {
  const client = (await startService(t)).client()
  async function find(query: string): Promise<string[]> {
    const reply = await client.get(`/docs/search?${new URLSearchParams({ q: query })}`)
    assert.equal(reply.status, 200)
    return [...reply.text.matchAll(/class="hit" href="([^"]*)"/g)].map(([, href = '']) => href)
  }
  assert.equal((await find('create message'))[0], '/docs/api/messages/create-message')
  assert.equal((await find('executeWebhook'))[0], '/docs/api/webhooks/execute-webhook')
  assert.ok((await find('/api/users/@me/sessions')).includes('/docs/api/users/list-sessions'))
  assert.equal((await find('MESSAGE_CREATE'))[0], '/docs/gateway/MESSAGE_CREATE')
  assert.equal((await find('missing_permission'))[0], '/docs/errors#ErrorBody-missing_permission')
  assert.equal((await find('4004'))[0], '/docs/gateway#close-4004')
  assert.ok((await find('allowedMentions')).includes('/docs/objects/CreateMessageBody#field-allowedMentions'))
  assert.ok((await find('alertmanager')).some(href => href.startsWith('/docs/guides/webhooks#')))
  assert.deepEqual(await find('no such words'), [])
  assert.deepEqual(await find(''), [])
  const reply = await client.get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  assert.equal(reply.text.includes('<script>'), false)
  assert.equal((await client.get('/docs/search?q=a&q=b')).status, 400)
})

test('text of the documents is escaped', async t => {
  const hostile = `<img src=x onerror=alert(1)>"'&`
  const document = await readDocuments(t)
  const spoiled = JSON.parse(
    JSON.stringify(document, (name, value) =>
      typeof value === 'string' && ['description', 'summary', 'pattern'].includes(name) ? hostile : value,
    ),
  )
  const { post } = spoiled.openApi.paths['/api/channels/{id}/messages']
  post.requestBody.content['application/json'].example = { [hostile]: hostile }
  const site = await createSite(spoiled.openApi, spoiled.asyncApi)
  const frame = { locale: 'en', t: translateTo('en'), productName: hostile, languages: [] } as const
  for (const path of [
    '/docs',
    '/docs/api/messages',
    '/docs/api/messages/create-message',
    '/docs/gateway',
    '/docs/gateway/Hello',
    '/docs/objects',
    '/docs/objects/Message',
  ]) {
    const page = site.render(path, frame) ?? ''
    assert.ok(page.includes('&lt;img src=x'), path)
    assert.equal(page.includes('<img src=x'), false, path)
  }
  assert.equal(site.renderSearch('img', frame).includes('<img src=x'), false)
})

async function readDocuments(
  t: TestContext,
): Promise<Record<'openApi' | 'asyncApi', Record<string, unknown>>> {
  const client = (await startService(t)).client()
  return {
    openApi: (await client.get('/api/openapi.json')).body,
    asyncApi: (await client.get('/api/asyncapi.json')).body,
  }
}
