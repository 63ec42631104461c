import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { freePort, startService } from '@gatehouse/testkit/service'
import { withFiles } from '../../../packages/sdk/docs/page.ts'
import { createBrowser } from '../../../tools/demo/browser.ts'
import { readCodeBlocks } from '../../../tools/printed-steps.ts'
import { page } from './page.ts'

const here = import.meta.dirname

test('the page has the code of the files that are tested, to the letter', () => {
  const text = readFileSync(page, 'utf8')
  const { text: fresh, files } = withFiles(text)
  assert.equal(text, fresh, 'docs/sign-in.md is stale: node examples/sign-in-site/docs/page.ts')
  // The commands of the first steps are run by first-steps.test.ts.
  const steps = readCodeBlocks(text, '## In five minutes').filter(({ language }) => language === 'sh')
  assert.equal(text.match(/^ *```(ts|sh|js)$/gm)?.length, files.length + steps.length)
})

/** The service at the time of day, Ana with an application for a site at `siteUrl`. */
async function prepare(t: TestContext) {
  const service = await startService(t)
  service.clock.advance(Date.now() - service.clock.now())
  const port = await freePort()
  const siteUrl = `http://localhost:${port}`
  const ana = createBrowser(service.url)
  const person = { username: 'ana', displayName: 'Ana', password: 'open-the-gate', email: 'ana@example.org' }
  await ana.json('POST', '/api/auth/register', person)
  const application = await ana.json<{ id: string; clientSecret: string }>('POST', '/api/applications', {
    name: 'Lighthouse',
    type: 'confidential',
    redirectUris: [`${siteUrl}/callback`],
    postLogoutRedirectUris: [siteUrl],
  })
  const env = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    CLIENT_ID: application.id,
    CLIENT_SECRET: application.clientSecret,
    PORT: String(port),
  }
  return { service, siteUrl, ana, application, env }
}

test('the site of the page signs a person in and out', async t => {
  const { service, siteUrl, ana, env } = await prepare(t)
  const child = spawn(process.execPath, [join(here, 'server.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => {
    child.kill()
  })
  assert.ok(child.stdout)
  await once(createInterface(child.stdout), 'line')

  let cookie = ''
  async function browse(path: string, method = 'GET') {
    const response = await fetch(new URL(path, siteUrl), { method, redirect: 'manual', headers: { cookie } })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      text: await response.text(),
    }
  }

  const away = await browse('/sign-in')
  const back = await ana.submitForm(away.location.slice(service.url.length), 'allow')
  assert.ok(back !== undefined)
  assert.equal(new URL(back).origin, siteUrl)
  assert.equal((await browse(back)).location, '/')
  assert.equal((await browse('/')).text, 'Hello Ana')
  assert.equal((await browse(back)).status, 400, 'the same answer a second time')

  const again = await browse('/sign-in')
  const next = await fetch(again.location, { redirect: 'manual', headers: { cookie: ana.cookie() } })
  assert.equal((await browse(next.headers.get('location') ?? '')).location, '/')
  const out = await browse('/sign-out', 'POST')
  const left = await fetch(out.location, { redirect: 'manual', headers: { cookie: ana.cookie() } })
  assert.equal(left.headers.get('location'), siteUrl)
  assert.equal((await browse('/')).text, 'Nobody is signed in.')
  await assert.rejects(ana.json('GET', '/api/users/@me'), /401/)
})

test('the command of the page gives the next pair of tokens', async t => {
  const { service, siteUrl, ana, application, env } = await prepare(t)
  const query = new URLSearchParams({ client_id: application.id, response_type: 'code', scope: 'identify' })
  const back = await ana.submitForm(`/oauth2/authorize?${query}`, 'allow')
  const answer = await fetch(`${service.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${application.id}:${application.clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(back ?? siteUrl).searchParams.get('code') ?? '',
    }),
  })
  const { refresh_token } = await answer.json()
  const shell = spawn('sh', [join(here, 'refresh.sh')], {
    env: { ...env, REFRESH_TOKEN: refresh_token },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  shell.stdout.on('data', chunk => {
    said += chunk
  })
  assert.deepEqual(await once(shell, 'close'), [0, null])
  const tokens = JSON.parse(said)
  assert.notEqual(tokens.refresh_token, refresh_token)
  assert.equal(tokens.expires_in, 604_800)
})
