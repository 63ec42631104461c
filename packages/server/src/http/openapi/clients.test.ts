import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { createClient } from '@hey-api/openapi-ts'
import openapiTS, { astToString } from 'openapi-typescript'
import { createWorld, receivedEvent, runCommand } from '../../interactions/interactions-testing.ts'
import { codeFor, makeApplication } from '../../oauth/oauth-testing.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../../..')
const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')

/** A folder in which generated code finds the installed packages. */
async function createFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-client-'))
  // A junction needs no privilege on Windows.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What a client needs to use the service. */
async function createInput(service: TestService): Promise<object> {
  const world = await createWorld(service)
  const { owner, bot, channelId } = world
  const application = await makeApplication(owner)
  const code = await codeFor(owner, application)
  const webhook = await owner.client.json('POST', `/api/channels/${channelId}/webhooks`, { name: 'Alerts' })
  await bot.connect()
  const { id, token } = await receivedEvent(world, runCommand(world, 'ping'))
  return {
    url: service.url,
    cookie: owner.client.cookieHeader(),
    botToken: bot.token,
    basic: Buffer.from(`${application.id}:${application.secret}`).toString('base64'),
    code,
    redirectUri: application.redirectUri,
    channelId,
    webhookId: webhook.body.id,
    webhookToken: webhook.body.token,
    event: { id, token },
  }
}

/** Compiles the program with `--strict`, runs it, and compares what it printed. */
async function checkProgram(folder: string, program: string, input: object): Promise<void> {
  await copyFile(join(import.meta.dirname, 'clients', `${program}.ts.txt`), join(folder, 'program.ts'))
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: 'esnext',
      module: 'nodenext',
      lib: ['esnext', 'dom', 'dom.iterable'],
      types: ['node'],
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    files: ['program.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await run(process.execPath, [compiler, '-p', folder]).catch(error => assert.fail(error.stdout))
  const env = { ...process.env, INPUT: JSON.stringify(input) }
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], { env })
  assert.deepEqual(JSON.parse(stdout), {
    username: 'owner',
    listed: [true],
    alert: 'alert',
    active: true,
    commands: ['roll'],
    callback: 'seven',
    errorCode: 'not_found',
    status: 404,
  })
}

test('a client with the types of openapi-typescript is checked by the compiler and works', async t => {
  const service = await startService(t)
  const folder = await createFolder(t)
  const document = await (await fetch(`${service.url}/api/openapi.json`)).text()
  const warn = t.mock.method(console, 'warn')
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(document)))
  assert.deepEqual(
    warn.mock.calls.map(call => call.arguments),
    [],
  )
  await checkProgram(folder, 'openapi-fetch', await createInput(service))
})

test('a client that @hey-api/openapi-ts generates is checked by the compiler and works', async t => {
  const service = await startService(t)
  const folder = await createFolder(t)
  const document = await (await fetch(`${service.url}/api/openapi.json`)).text()
  await writeFile(join(folder, 'openapi.json'), document)
  await createClient({
    input: join(folder, 'openapi.json'),
    output: { path: join(folder, 'client'), importFileExtension: '.ts' },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
    logs: { level: 'silent' },
  })
  await checkProgram(folder, 'hey-api', await createInput(service))
})
