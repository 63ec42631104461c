import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTexts } from './check-spec.ts'

/** The findings in a file `a.ts`, or another one. */
function check(text: string, path = 'a.ts'): string[] {
  const spec =
    '## Redirect URIs (RFC 6749)\n\n- `sign-in/state` It is returned.\n- `scope` is no requirement.'
  const tests = "test('sign-in/state: it is returned', () => {})"
  return checkTexts(
    new Map([
      ['docs/spec/sign-in.md', spec],
      ['a.test.ts', tests],
      [path, text],
    ]),
  )
}

test('a citation exists, and paths are none', () => {
  for (const text of ['(sign-in/redirect-uris-rfc-6749, sign-in/state).', 'sign-in/state: 204'])
    assert.deepEqual(check(text), [])
  assert.deepEqual(check('(sign-in/nonce).'), ['a.ts: sign-in/nonce is not in docs/spec/'])
  for (const path of [
    'sign-in/nonce.ts',
    '/sign-in/nonce',
    '../sign-in/nonce',
    '@x/sign-in/nonce',
    'sign-in/a/b',
  ])
    assert.deepEqual(check(path), [])
})

test('a requirement is defined once, in its document, and cited by a test', () => {
  for (const comment of ['// sign-in/state', 'f() // sign-in/state', '/** sign-in/state */'])
    assert.deepEqual(check(comment, 'a.test.ts'), ['no test cites sign-in/state'])
  assert.deepEqual(check('- `sign-in/state` a', 'docs/spec/webhooks.md'), [
    'docs/spec/webhooks.md: sign-in/state belongs to another document',
    'docs/spec/webhooks.md: sign-in/state is defined twice',
  ])
})

test('an identifier of the glossary is in its file', () => {
  const row = (last: string) => check(`| term | has \`rows\` | ${last} |`, 'docs/glossary.md')
  assert.deepEqual(row('`returned`, `a.test.ts`'), [])
  assert.deepEqual(row('`a.test.ts`'), [])
  assert.deepEqual(row('`turned`, `a.test.ts`'), ['docs/glossary.md: term: turned is not in a.test.ts'])
  assert.deepEqual(row('`b.ts`'), ['docs/glossary.md: term: b.ts does not exist'])
})
