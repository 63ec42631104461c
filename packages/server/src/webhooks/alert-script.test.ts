import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { eachOutside } from './testing.ts'

const script = fileURLToPath(new URL('../../../../examples/alert.sh', import.meta.url))

/** Runs the example with `words`; `input` undefined leaves nothing to read. */
function alert(
  url: string,
  words: string[],
  input = '',
  more: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', [script, ...words], {
      env: { PATH: process.env.PATH, WEBHOOK_URL: url, ...more },
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

eachOutside(
  'examples/alert.sh posts words and what is piped, cut to what fits, and fails where it is refused',
  async from => {
    const { webhook, owner, general } = from
    const { url } = webhook
    assert.deepEqual(await alert(url, ['a "quoted" & strange', '$HOME'], '', { WEBHOOK_NAME: 'cron' }), {
      code: 0,
      output: '',
    })
    assert.deepEqual(await alert(url, ['Disk'], 'full\n 97%\n'), { code: 0, output: '' })
    assert.deepEqual(await alert(url, ['Long'], 'é'.repeat(3000)), { code: 0, output: '' })
    const { body } = await owner.client.get(`/api/channels/${general.id}/messages`)
    const [long, disk, words] = body
    assert.deepEqual([words.content, words.author.displayName], ['a "quoted" & strange $HOME', 'cron'])
    assert.deepEqual([disk.content, disk.author.displayName], ['Disk\n```\nfull\n 97%\n```', 'Alerts'])
    assert.match(long.content, /^Long\n```\né{900,}…\n```$/)

    const refused = await alert(`${url}x`, ['x'])
    assert.notEqual(refused.code, 0)
    assert.match(refused.output, /Unknown Webhook/)
    const unset = await alert('', ['x'])
    assert.match(unset.output, /set WEBHOOK_URL/)
  },
)
