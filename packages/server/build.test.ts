import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { version } from '@gatehouse/protocol/version'
import { createApplication, installBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { createShellFolder, runCommands, runUntilReady } from '@gatehouse/testkit/shell'
import * as openid from 'openid-client'

const bot = `
import { createBot } from '@gatehouse/bot'
const { GATEHOUSE_URL, BOT_TOKEN } = process.env
const bot = createBot({ url: GATEHOUSE_URL, token: BOT_TOKEN })
bot.command({ name: 'greet', description: 'Greets' }, ctx => ctx.reply('Hello from the tarball'))
await bot.sync()
await bot.start()
console.log('ready')
`

test('the packages, installed in an empty folder, run a service, a sign-in, a webhook and a bot', async t => {
  const { folder, env } = createShellFolder(t)
  const built = join(folder, 'built/gatehouse')
  execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts'), '--out', built])
  const cwd = join(folder, 'installed')
  mkdirSync(cwd)
  const options = { cwd, env: { ...env, npm_config_cache: undefined, npm_config_fund: 'false' } }
  const tarballs = `../built/gatehouse-${version}.tgz ../built/gatehouse-bot-${version}.tgz`
  const install = `npm pack ../built/gatehouse --pack-destination ../built && npm install --prefer-offline ${tarballs}`
  await runCommands(install, options)
  const main = join(cwd, 'node_modules/gatehouse/packages/server/dist/main.js')
  const gatehouse = (...args: string[]) =>
    execFileSync(process.execPath, [main, ...args], { ...options, encoding: 'utf8' })

  await t.test('the package has one dependency, whose files npm verifies', () => {
    const read = (file: string) => JSON.parse(readFileSync(join(built, file), 'utf8'))
    assert.deepEqual(Object.keys(read('package.json').dependencies), ['sharp'])
    const { '': _root, ...locked } = read('npm-shrinkwrap.json').packages
    assert.ok(locked['node_modules/@img/sharp-linux-x64'])
    for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(locked)) {
      assert.match(integrity ?? '', /^sha512-/, path)
    }
    const licenses = readFileSync(join(built, 'THIRD-PARTY-LICENSES.md'), 'utf8')
    for (const name of ['fastify', '@simplewebauthn/browser', 'react-dom']) {
      assert.match(licenses, new RegExp(`^## ${name} - \\d`, 'm'))
    }
  })

  await t.test('the commands work', () => {
    assert.equal(gatehouse('--version'), `${version}\n`)
    // Creates the database and the key, which `doctor` does not.
    gatehouse('keys', 'rotate')
    assert.match(gatehouse('doctor'), /^signing keys +OK$/m)
    gatehouse('backup', 'copy.db')
    assert.equal(gatehouse('migrate', '--dry-run'), 'The database is up to date.\n')
  })

  const service = await startServiceProcess({ main })
  t.after(() => service.remove())
  const user = await register(service, 'ana')
  const { client } = user
  const { server, general } = await createServer(user)
  const channel = `/api/channels/${general.id}`
  const findMessage = async (content: string) => {
    const messages = await client.request<{ content: string }[]>('GET', `${channel}/messages`)
    return messages.some(message => message.content === content)
  }

  await t.test('pages and files are found', async () => {
    for (const path of [
      '/',
      '/login',
      '/docs',
      '/docs/api',
      '/docs/gateway',
      '/docs/guides/bots',
      '/docs/guides/bots/commands',
      '/docs/viewer.js',
      '/docs/style.css',
      '/second-factor.js',
      '/pages.css',
      '/sdk/gatehouse-bot.tgz',
    ]) {
      assert.equal((await client.get(path)).status, 200, path)
    }
    assert.deepEqual((await client.get('/api/version')).body, { version })
  })

  await t.test('an uploaded picture is encoded with the installed library', async () => {
    const body = readFileSync(join(import.meta.dirname, '../web/public/icon-192.png'))
    const headers = { 'content-type': 'image/png' }
    const reply = await client.send('/api/users/@me/avatar', { method: 'PUT', headers, body })
    assert.equal(reply.status, 200, reply.text)
  })

  await t.test('openid-client signs a user in', async () => {
    const redirectUri = 'http://localhost:4000/callback'
    const application = await createApplication(client, { redirectUris: [redirectUri] })
    const config = await openid.discovery(
      new URL(service.url),
      application.id,
      application.clientSecret,
      undefined,
      { execute: [openid.allowInsecureRequests] },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const location = await client.submitForm(url.pathname + url.search, 'allow')
    const tokens = await openid.authorizationCodeGrant(config, new URL(location ?? ''), { pkceCodeVerifier })
    assert.equal(tokens.claims()?.sub, user.id)
  })

  await t.test('a webhook posts a message', async () => {
    const webhook = await client.request<{ url: string }>('POST', `${channel}/webhooks`, { name: 'CI' })
    const { pathname } = new URL(webhook.url)
    assert.equal((await service.client().json('POST', pathname, { content: 'Built' })).status, 204)
    assert.equal(await findMessage('Built'), true)
  })

  await t.test('a bot with the installed SDK answers a command', async t => {
    const { token } = await installBot(client, server.id, { name: 'Greeter' })
    writeFileSync(join(cwd, 'bot.mjs'), bot)
    const settings = { ...options.env, GATEHOUSE_URL: service.url, BOT_TOKEN: token }
    await runUntilReady(t, 'node bot.mjs', { cwd, env: settings })
    const [command] = await client.request<{ id: string }[]>('GET', `${channel}/commands`)
    const use = { type: 'command', channelId: general.id, commandId: command?.id }
    await client.request('POST', '/api/interactions', use)
    while (!(await findMessage('Hello from the tarball'))) await wait(20)
  })

  assert.equal(await service.end('SIGTERM'), 0)
})
