import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createApplication } from '@gatehouse/testkit/applications'
import { createClient } from '@gatehouse/testkit/client'
import { freePort, startService } from '@gatehouse/testkit/service'
import { createShellFolder, runUntilReady } from '@gatehouse/testkit/shell'
import { insertSamples, readCodeBlocks } from '../../../packages/bot/docs/samples.ts'
import { guide } from './samples.ts'

const here = import.meta.dirname

test('docs/sign-in.md contains the code of all tested files unchanged', () => {
  const text = readFileSync(guide, 'utf8')
  const { text: updated, files } = insertSamples(text)
  assert.equal(text, updated, 'docs/sign-in.md is stale: node examples/sign-in-site/docs/samples.ts')
  const [install, site, run] = readCodeBlocks(text, '## In five minutes').map(({ code }) => code)
  assert.equal(text.match(/^ *```(ts|sh|js)$/gm)?.length, files.length + [install, run].length)
  // The site imports no other package.
  const packages = Array.from(site?.matchAll(/from '(?!node:)(.+)'/g) ?? [], ([, name]) => name)
  assert.equal(install?.split('\n').at(-1), `npm install ${packages.join(' ')}`)
})

/** The service at the time of day, Ana with an application for a site at `siteUrl`. */
async function prepare(t: TestContext) {
  const service = await startService(t)
  service.clock.advance(Date.now() - service.clock.now())
  const port = await freePort()
  const siteUrl = `http://localhost:${port}`
  const ana = createClient(service.url)
  const person = { username: 'ana', displayName: 'Ana', password: 'open-the-gate', email: 'ana@example.org' }
  await ana.request('POST', '/api/auth/register', person)
  const application = await createApplication(ana, {
    name: 'Lighthouse',
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

test('the sample site runs with the printed command, without a warning, and signs a user in and out', async t => {
  const { service, siteUrl, ana, application, env } = await prepare(t)
  const command = readCodeBlocks(readFileSync(guide, 'utf8'), '## In five minutes').at(-1)?.code ?? ''
  const started = command
    .replace('https://chat.example.org', service.url)
    .replace('CLIENT_ID=…', `CLIENT_ID=${application.id}`)
    .replace('CLIENT_SECRET=…', `CLIENT_SECRET=${application.clientSecret}`)
  const shell = { ...createShellFolder(t).env, PORT: env.PORT }
  const errors = await runUntilReady(t, started, { cwd: here, env: shell })

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

  const redirect = await browse('/sign-in')
  const back = await ana.submitForm(redirect.location.slice(service.url.length), 'allow')
  assert.ok(back !== undefined)
  assert.equal(new URL(back).origin, siteUrl)
  assert.equal((await browse(back)).location, '/')
  assert.equal((await browse('/')).text, 'Hello Ana')
  assert.equal((await browse(back)).status, 400, 'a second use of the same response')

  const again = await browse('/sign-in')
  const next = await fetch(again.location, { redirect: 'manual', headers: { cookie: ana.cookieHeader() } })
  assert.equal((await browse(next.headers.get('location') ?? '')).location, '/')
  const signedOut = await browse('/sign-out', 'POST')
  const loggedOut = await fetch(signedOut.location, {
    redirect: 'manual',
    headers: { cookie: ana.cookieHeader() },
  })
  assert.equal(loggedOut.headers.get('location'), siteUrl)
  assert.equal((await browse('/')).text, 'You are not signed in.')
  await assert.rejects(ana.request('GET', '/api/users/@me'), /401/)
  assert.equal(errors(), '')
})

test('the sample command returns a new pair of tokens', async t => {
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
  let output = ''
  shell.stdout.on('data', chunk => {
    output += chunk
  })
  assert.deepEqual(await once(shell, 'close'), [0, null])
  const tokens = JSON.parse(output)
  assert.notEqual(tokens.refresh_token, refresh_token)
  assert.equal(tokens.expires_in, 604_800)
})
