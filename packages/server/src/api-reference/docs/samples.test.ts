import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { png } from '@gatehouse/testkit/images'
import { startService, type TestClient } from '@gatehouse/testkit/service'
import { createWorld } from '../../interactions/interactions-testing.ts'
import { createWebhook } from '../../webhooks/webhooks-testing.ts'
import { sdkOperations, writeSdkSample } from './sdk-samples.ts'

const run = promisify(execFile)

/** What the samples use of the Python library `requests`, for machines without it. */
const requestsModule = `
import base64, json, urllib.error, urllib.parse, urllib.request

class Response:
    def __init__(self, status, body):
        self.status_code, self.text = status, body.decode()
    def json(self):
        return json.loads(self.text)
    def raise_for_status(self):
        if self.status_code >= 400:
            raise Exception(self.text)

def request(method, url, params=None, headers=None, cookies=None, auth=None, json=None, data=None):
    headers = dict(headers or {})
    if params:
        url += "?" + urllib.parse.urlencode(params)
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    if auth:
        headers["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
    if json is not None:
        data = globals()["json"].dumps(json).encode()
        headers["Content-Type"] = "application/json"
    elif isinstance(data, dict):
        data = urllib.parse.urlencode(data).encode()
    elif data is not None:
        data = data.read()
    call = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(call) as reply:
            return Response(reply.status, reply.read())
    except urllib.error.HTTPError as error:
        return Response(error.code, error.read())

def get(url, **options): return request("GET", url, **options)
def post(url, **options): return request("POST", url, **options)
def put(url, **options): return request("PUT", url, **options)
def patch(url, **options): return request("PATCH", url, **options)
def delete(url, **options): return request("DELETE", url, **options)
`

/** The samples of a page by language. */
async function readSamples(client: TestClient, path: string): Promise<Map<string, string>> {
  const page = await client.get(path)
  assert.equal(page.status, 200, path)
  return new Map(
    [...page.text.matchAll(/<details class="sample".*?data-language="(\w+)">(.*?)<\/code>/gs)].map(
      ([, language = '', code = '']) => [language, decodeEntities(code)],
    ),
  )
}

function decodeEntities(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replace(/&([a-z]+|#39);/g, (_, name) => characters[name] ?? '')
}

function hasCommand(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-samples-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the samples of operations run with every kind of credential and body', async t => {
  const service = await startService(t)
  const world = await createWorld(service, { permissions: 0n })
  const { client } = world.owner
  const webhook = await createWebhook(world.owner, world.channelId)
  const [, webhookId = '', webhookToken = ''] = /webhooks\/(\d+)\/(.+)$/.exec(webhook.url) ?? []
  const { body: application } = await client.json('POST', '/api/applications', {
    name: 'Site',
    type: 'confidential',
  })
  const folder = createFolder(t)
  writeFileSync(join(folder, 'picture.png'), png)
  writeFileSync(join(folder, 'requests.py'), requestsModule)
  const session = [...client.cookies].find(([name]) => name.includes('session'))?.[1] ?? ''
  const variables = {
    BOT_TOKEN: world.bot.token,
    SESSION: session,
    CLIENT_ID: application.id,
    CLIENT_SECRET: application.clientSecret,
    CHANNEL_ID: world.channelId,
    SERVER_ID: world.serverId,
    WEBHOOK_ID: webhookId,
    WEBHOOK_TOKEN: webhookToken,
  }
  const interpreters: Record<string, [string, ...string[]]> = {
    sh: ['sh', '-c'],
    js: [process.execPath, '--input-type=module', '--eval'],
    python: ['python3', '-c'],
  }
  const hasPython = hasCommand('python3')
  if (!hasPython) t.diagnostic('python3 is not installed')

  /** Runs the samples of an operation. Returns what each printed. */
  async function runSamples(page: string, more: Record<string, () => Promise<string>> = {}) {
    const samples = await readSamples(client, page)
    const printed: string[] = []
    for (const [language, [command, ...args]] of Object.entries(interpreters)) {
      if (language === 'python' && !hasPython) continue
      const code = samples.get(language)
      assert.ok(code, `${page}: ${language}`)
      const env: Record<string, string> = { PATH: process.env.PATH ?? '', ...variables }
      for (const [name, read] of Object.entries(more)) env[name] = await read()
      const failing = language === 'sh' ? code.replace('curl', 'curl -sS --fail-with-body') : code
      const { stdout } = await run(command, [...args, failing], { cwd: folder, env }).catch(error => {
        throw new Error(`${page}, ${language}:\n${code}\n${error.stdout}${error.stderr}`)
      })
      printed.push(stdout)
    }
    return printed
  }

  const countMessages = async () => {
    const messages = await client.request<{ content: string }[]>(
      'GET',
      `/api/channels/${world.channelId}/messages`,
    )
    return messages.length
  }
  const sendMessage = async () => {
    const path = `/api/channels/${world.channelId}/messages`
    return (await world.bot.json('POST', path, { content: 'one' })).body.id
  }
  /** How many messages the samples create. */
  async function countNewMessages(page: string, more: Record<string, () => Promise<string>> = {}) {
    const before = await countMessages()
    await runSamples(page, more)
    return (await countMessages()) - before
  }

  await runSamples('/docs/api/operation/get-version')
  await runSamples('/docs/api/servers/create-server')
  assert.ok((await client.request<unknown[]>('GET', '/api/users/@me/servers')).length > 1)
  await runSamples('/docs/api/users/set-avatar')
  await runSamples('/docs/api/bots/replace-commands')
  for (const text of await runSamples('/docs/api/sign-in/introspect-token')) assert.match(text, /active/)
  assert.ok((await countNewMessages('/docs/api/webhooks/execute-webhook')) > 0)
  assert.ok((await countNewMessages('/docs/api/messages/create-message')) > 0)
  assert.equal(await countNewMessages('/docs/api/messages/delete-message', { MESSAGE_ID: sendMessage }), 0)
  for (const text of await runSamples('/docs/api/messages/get-message', { MESSAGE_ID: sendMessage }))
    assert.match(text, /one/)
})

test('the samples of the SDK compile, and each is for an operation of the document', async t => {
  const service = await startService(t)
  const { paths } = (await service.client().get('/api/openapi.json')).body
  const ids = Object.values<Record<string, { operationId: string }>>(paths).flatMap(methods =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  const folder = createFolder(t)
  const root = join(import.meta.dirname, '../../../../..')
  for (const id of sdkOperations) {
    assert.ok(ids.includes(id), id)
    writeFileSync(join(folder, `${id}.ts`), writeSdkSample(id, service.url) ?? '')
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: true,
        noUnusedLocals: false,
        paths: { '@gatehouse/bot': [join(root, 'packages/bot/src/index.ts')] },
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: ['*.ts'],
    }),
  )
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(error => error)
  assert.equal(stdout, '')
})
