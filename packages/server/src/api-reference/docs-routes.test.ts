import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CloseCode } from '@gatehouse/protocol/gateway-codes'
import { eachService, startService } from '@gatehouse/testkit/service'

const parts = [
  'commands',
  'components',
  'messages',
  'requests',
  'events',
  'testing',
  'running',
  'examples',
  'without-sdk',
  'limits',
  'discord',
].map(part => `/docs/guides/bots/${part}`)
const guides = [
  '/docs',
  '/docs/guides/sign-in',
  '/docs/guides/connect',
  '/docs/guides/bots',
  ...parts,
  '/docs/guides/webhooks',
  '/docs/guides/gateway',
  '/docs/errors',
]
const pages = [...guides, '/docs/gateway', '/docs/api', '/docs/search?q=webhook']

function valuesOf(page: string, attributes: string): string[] {
  return [...page.matchAll(new RegExp(` (?:${attributes})="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

test('community/api-reference: every link of the guides, the gateway and the reference works', async t => {
  const client = (await startService(t)).client()
  const texts = new Map<string, string>()
  for (const path of pages) {
    const reply = await client.get(path)
    assert.equal(reply.status, 200, path)
    texts.set(path, reply.text)
  }
  const ids = new Map([...texts].map(([path, text]) => [path, valuesOf(text, 'id')]))
  const findings: string[] = []
  for (const [path, text] of texts) {
    assert.equal(new Set(ids.get(path)).size, ids.get(path)?.length, `ids of ${path}`)
    for (const link of valuesOf(text, 'href|src')) {
      const [target = '', anchor] = link.split('#')
      if (target.startsWith('http')) continue
      const known = ids.get(target === '' ? path : target)
      if (known && anchor !== undefined && !known.includes(anchor)) findings.push(`${path}: ${link}`)
      if (!known && ![200, 303].includes((await client.get(target)).status)) findings.push(`${path}: ${link}`)
    }
  }
  assert.deepEqual(findings, [])
})

test('community/api-reference: every operation, object and message has an address that leads to it', async t => {
  const client = (await startService(t)).client()
  const locationOf = async (path: string) => {
    const reply = await client.get(path)
    return reply.status === 303 ? reply.headers.get('location') : reply.status
  }
  const createMessage = '/docs/api#tag/messages/POST/api/channels/%7Bid%7D/messages'
  assert.equal(await locationOf('/docs/api/messages/create-message'), createMessage)
  assert.equal(await locationOf('/docs/api/webhook-management'), '/docs/api#tag/webhook-management')
  assert.equal(await locationOf('/docs/objects/Message'), '/docs/api#model/message')
  assert.equal(await locationOf('/docs/objects'), '/docs/api#models')
  assert.equal(await locationOf('/docs/gateway/READY'), '/docs/gateway#READY')
  assert.equal(await locationOf('/docs/'), '/docs')
  assert.equal(await locationOf('/docs/guides'), '/docs')
  const { tags, paths, components } = (await client.get('/api/openapi.json')).body
  for (const { name } of tags) {
    const slug = name.toLowerCase().replaceAll(' ', '-')
    assert.equal(await locationOf(`/docs/api/${slug}`), `/docs/api#tag/${slug}`)
  }
  assert.ok(Object.keys(paths).length > 80)
  for (const name of Object.keys(components.schemas))
    assert.equal(await locationOf(`/docs/objects/${name}`), `/docs/api#model/${name.toLowerCase()}`)
  const gateway = (await client.get('/docs/gateway')).text
  for (const name of Object.keys((await client.get('/api/asyncapi.json')).body.components.messages))
    assert.ok(gateway.includes(`id="${name}"`), name)
})

test('an unknown address below /docs is a page with 404 (community/api-reference)', async t => {
  const client = (await startService(t)).client()
  for (const path of [
    '/docs/nothing',
    '/docs/guides/nothing',
    '/docs/guides/bots/nothing',
    '/docs/guides/webhooks/commands',
    '/docs/api/nothing',
    '/docs/api/users/nothing',
    '/docs/objects/nothing-else',
    '/docs/gateway/NOTHING',
  ]) {
    const reply = await client.get(path, { accept: 'text/html' })
    assert.equal(reply.status, 404, path)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
  }
  const posted = await client.send('/docs', { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})

test('the guides have tables, code and links to each other, with the URL of the service', async t => {
  const service = await startService(t)
  const page = (await service.client().get('/docs/guides/bots')).text
  assert.match(page, /<th scope="col">page<\/th>/)
  assert.ok(page.includes(`npm install ${service.url}/sdk/gatehouse-bot.tgz`))
  const examples = (await service.client().get('/docs/guides/bots/examples')).text
  assert.ok(examples.includes('<a href="/docs/examples/dice-bot.tgz">'))
  const discord = (await service.client().get('/docs/guides/bots/discord')).text
  assert.ok(discord.includes(`${service.url.replace('http', 'ws')}/api/v10/gateway/ws`))
  // The service does not have the files of the repository.
  assert.doesNotMatch(page + examples, /\.\.\/examples|&lt;!--|<script/)
})

test('community/api-reference: a search lists the sections with all words, those of titles first', async t => {
  const client = (await startService(t)).client()
  const search = async (q: string) => {
    const page = (await client.get(`/docs/search?${new URLSearchParams({ q })}`)).text
    return { page, links: valuesOf(page.split('class="hits"')[1]?.split('</ul>')[0] ?? '', 'href') }
  }
  const found = await search('Move  SLACK')
  assert.equal(found.links[0], '/docs/guides/webhooks#move-from-discord-or-slack')
  assert.match(found.page, /Webhooks › Move from Discord or Slack/)
  assert.ok((await search('refresh grace')).links.length > 0)
  for (const q of ['', ' ', 'slack zebra']) assert.deepEqual((await search(q)).links, [], q)
  const hostile = (await search('"><script>alert(1)</script>')).page
  assert.doesNotMatch(hostile, /<script/)
  assert.match(hostile, /value="&quot;&gt;&lt;script/)
  assert.equal((await client.get('/docs/search?q=a&q=b')).status, 200)
})

test('the guide to webhooks has the address of the service for libraries, and the script that it names', async t => {
  const service = await startService(t)
  const page = (await service.client().get('/docs/guides/webhooks')).text
  const { host } = new URL(service.url)
  assert.ok(page.includes(`proxy(&quot;${host}&quot;.to_owned(), false)`))
  assert.ok(page.includes('<a href="/docs/examples/alert.sh">'))
  const script = await service.client().get('/docs/examples/alert.sh')
  assert.match(script.text, /^#!\/bin\/sh/)
  assert.ok(script.text.includes(`WEBHOOK_URL=${service.url}/api/webhooks/ID/TOKEN`))
})

test('the guide to bots and its parts have links to each other, and the bar the guide and Discord bots', async t => {
  const client = (await startService(t)).client()
  for (const path of ['/docs/guides/bots', '/docs/guides/bots/commands']) {
    const page = (await client.get(path)).text
    const [bar = '', main = ''] = page.split('</header>')
    const [, side = ''] = main.split('<nav class="parts"')
    assert.deepEqual(valuesOf(side.split('</nav>')[0] ?? '', 'href'), ['/docs/guides/bots', ...parts])
    assert.ok(side.includes(`<a href="${path}" aria-current="page">`))
    assert.deepEqual(
      valuesOf(bar, 'href').filter(link => link.includes('/bots')),
      ['/docs/guides/bots', '/docs/guides/bots/discord'],
    )
    assert.match(bar, /bots" lang="en" aria-current=/)
    assert.match(bar, />Discord bots</)
  }
  assert.doesNotMatch((await client.get('/docs/guides/webhooks')).text, /class="parts"/)
})

test('the page of errors has every code of a response and every close code', async t => {
  const client = (await startService(t)).client()
  const page = (await client.get('/docs/errors')).text
  const document = JSON.stringify((await client.get('/api/openapi.json')).body.components.responses)
  const listed = [...document.matchAll(/"enum":\[([^\]]*)\]/g)].flatMap(([, list = '']) => list.split(','))
  // A hint may follow a code of Slack's (webhooks/other-format).
  const responseCodes = listed.map(code => code.replaceAll('"', '').split(': ')[0])
  const codes = new Set([...responseCodes, ...Object.values(CloseCode)])
  assert.ok(codes.size > 40, `${codes.size} codes`)
  assert.deepEqual(
    [...codes].filter(code => !page.includes(`<td><code>${code}</code></td>`)),
    [],
  )
})

eachService(
  'pages are cached, compressed, revalidated and in the language of the request',
  async (_t, service) => {
    const client = service.client()
    const headers = { 'accept-encoding': 'gzip' }
    const first = await fetch(`${service.url}/docs/errors`, { headers })
    assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
    assert.equal(first.headers.get('content-encoding'), 'gzip')
    assert.equal(first.headers.get('vary'), 'Accept-Encoding, Accept-Language, Cookie')
    const match = { ...headers, 'if-none-match': first.headers.get('etag') ?? '' }
    assert.equal((await client.get('/docs/errors', match)).status, 304)
    const russian = await client.get('/docs/errors', { ...match, 'accept-language': 'ru' })
    assert.equal(russian.headers.get('content-language'), 'ru')
    assert.match(russian.text, /<html lang="ru">[\s\S]*На этой странице/)
    for (const path of ['/docs/style.css', '/docs/viewer.js']) {
      const file = await client.get(path)
      assert.equal(file.status, 200)
      assert.equal((await client.get(path, { 'if-none-match': file.headers.get('etag') ?? '' })).status, 304)
    }
  },
)

test('only the page of the viewer has a script, and only from the service', async t => {
  const { url } = await startService(t)
  for (const path of pages) {
    const reply = await fetch(`${url}${path}`)
    const policy = reply.headers.get('content-security-policy') ?? ''
    const text = await reply.text()
    assert.doesNotMatch(text, / style="| on\w+="|<script>/)
    assert.deepEqual(valuesOf(text, 'src'), [
      '/favicon.svg',
      ...(path === '/docs/api' ? ['/docs/viewer.js'] : []),
    ])
    const scripts = path === '/docs/api' ? "script-src 'self'; connect-src 'self'; " : ''
    const styles = path === '/docs/api' ? "'self' 'unsafe-inline'" : "'self'"
    assert.ok(policy.startsWith(`default-src 'none'; ${scripts}style-src ${styles}; img-src 'self'`), policy)
  }
})
