import assert from 'node:assert/strict'
import { test } from 'node:test'
import { citationsIn, glossaryErrors, readSpec, stringsIn } from './check-spec.ts'

const documents = ['sign-in', 'webhooks']

test('reads headings and requirements', () => {
  const spec = readSpec({
    'sign-in':
      '# Sign-in\n\n## Redirect URIs (RFC 6749)\n\n- `sign-in/redirect-uri-exact` Whole strings.\n- `state` text',
  })
  assert.deepEqual([...spec.sections], ['sign-in/redirect-uris-rfc-6749'])
  assert.deepEqual([...spec.requirements], ['sign-in/redirect-uri-exact'])
  assert.deepEqual(spec.errors, [])
})

test('reports requirements that are defined twice or in the wrong document', () => {
  const { errors } = readSpec({ webhooks: '- `webhooks/wait` a\n- `webhooks/wait` b\n- `sign-in/state` c' })
  assert.deepEqual(errors, [
    'webhooks.md: webhooks/wait is defined twice',
    'webhooks.md: sign-in/state belongs to another document',
  ])
})

for (const [text, ids] of [
  ['webhooks/wait: 204 without it', ['webhooks/wait']],
  ['returns 404 (sign-in/state, webhooks/wait).', ['sign-in/state', 'webhooks/wait']],
  ['ends with sign-in/state.', ['sign-in/state']],
  ['the file webhooks/webhook-store.ts', []],
  ['POST /webhooks/slack and ../webhooks/slack', []],
  ['@gatehouse/webhooks/wait', []],
  ['webhooks/routes/post', []],
  ['packages/{sign-in/state}', []],
] as const) {
  test(`finds the citations in ${JSON.stringify(text)}`, () => {
    assert.deepEqual(citationsIn(text, documents), ids)
  })
}

test('reads test names from string literals only', () => {
  const source = `
    // webhooks/wait
    test('sign-in/state: a', () => {})
    test(\`sign-in/nonce: \${name}\`, () => {})
  `
  assert.deepEqual(citationsIn(stringsIn(source), documents), ['sign-in/state', 'sign-in/nonce'])
})

test('reports an identifier of the glossary that is not in its file', () => {
  const files: Record<string, string> = { 'grants.ts': 'interface GrantRecord {}' }
  const glossary = [
    '| term | meaning | identifier |',
    '| --- | --- | --- |',
    '| grant | one row of `oauth_grants` | `GrantRecord`, `grants.ts` |',
    '| token family | a code and its tokens | `Grant`, `grants.ts` |',
    '| node | a process | `nodes.ts` |',
    '| operator | a person | `grants.ts` |',
  ].join('\n')
  assert.deepEqual(
    glossaryErrors(glossary, file => files[file]),
    ['token family: Grant is not in grants.ts', 'node: nodes.ts does not exist'],
  )
})
