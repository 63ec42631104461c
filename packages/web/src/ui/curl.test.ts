import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { toCurl } from './curl.ts'

test('a command has a variable in place of the secret, and the body in quotes', () => {
  const url = 'https://chat.example/api/webhooks/1/$TOKEN'
  assert.equal(
    toCurl(url, { contentType: 'application/json', body: '{"content":"it\'s"}' }),
    [
      `curl -X POST "${url}" \\`,
      "  -H 'Content-Type: application/json' \\",
      `  --data-raw '{"content":"it'\\''s"}'`,
    ].join('\n'),
  )
  assert.equal(toCurl(url, { body: null }), `curl -X POST "${url}" \\\n  --data-raw "$BODY"`)
})

test('a shell sends the body as it was, and runs no part of it', () => {
  for (const body of [
    "'; echo hacked; '",
    '$(echo hacked) `echo hacked` "$HOME" \\',
    "a\nb\tc\u0007\u001b[2J'\\é",
    '@/etc/passwd',
    '!!',
  ]) {
    const command = toCurl('$TOKEN', { body }).replace(/^curl/, 'printf "%s\\0"')
    const sent = execFileSync('bash', ['-c', command], { env: { TOKEN: 'secret', LC_ALL: 'C.UTF-8' } })
    assert.equal(sent.toString().split('\0').at(-2), body)
    assert.ok(!/\p{Cc}/u.test(command.replaceAll('\\\n', '')))
  }
})
