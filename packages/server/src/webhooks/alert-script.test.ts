import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eachWebhook } from './webhooks-testing.ts'

const script = fileURLToPath(new URL('../../../../examples/alert.sh', import.meta.url))

/** Runs the example. Without `input` it has no stdin. */
function runAlert(
  url: string,
  args: string[],
  input = '',
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', [script, ...args], {
      env: { PATH: process.env.PATH, WEBHOOK_URL: url, ...env },
      stdio: [input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout?.on('data', chunk => {
      output += String(chunk)
    })
    child.stderr?.on('data', chunk => {
      output += String(chunk)
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code, output }))
    child.stdin?.end(input)
  })
}

eachWebhook(
  'examples/alert.sh posts its arguments and stdin, truncates long text, and fails if the post fails',
  async setup => {
    const { webhook, owner, general } = setup
    const { url } = webhook
    assert.deepEqual(await runAlert(url, ['a "quoted" & strange', '$HOME'], '', { WEBHOOK_NAME: 'cron' }), {
      code: 0,
      output: '',
    })
    assert.deepEqual(await runAlert(url, ['Disk'], 'full\n 97%\n'), { code: 0, output: '' })
    assert.deepEqual(await runAlert(url, ['Long'], 'é'.repeat(3000)), { code: 0, output: '' })
    const { body } = await owner.client.get(`/api/channels/${general.id}/messages`)
    const [long, disk, quoted] = body
    assert.deepEqual([quoted.content, quoted.author.displayName], ['a "quoted" & strange $HOME', 'cron'])
    assert.deepEqual([disk.content, disk.author.displayName], ['Disk\n```\nfull\n 97%\n```', 'Alerts'])
    assert.match(long.content, /^Long\n```\né{900,}…\n```$/)

    const rejected = await runAlert(`${url}x`, ['x'])
    assert.notEqual(rejected.code, 0)
    assert.match(rejected.output, /Unknown Webhook/)
    const unset = await runAlert('', ['x'])
    assert.match(unset.output, /set WEBHOOK_URL/)
  },
)

test('examples/alert.sh prints nothing for a 429 after which the post succeeds', async t => {
  const statuses = [429, 204]
  const service = createServer((request, response) => {
    request.resume()
    response.writeHead(statuses.shift() ?? 500, { 'retry-after': '1' }).end('{"message":"rate limited"}')
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const { port } = service.address() as AddressInfo
  assert.deepEqual(await runAlert(`http://127.0.0.1:${port}/`, ['Disk']), { code: 0, output: '' })
  assert.deepEqual(statuses, [])
})
