import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declaresPath, filesOf, readRouteTable } from './route-files.ts'

const architecture = `
## Another section

| \`other/\` | \`/other\` |

## From the URL to the file

| folder | base paths |
| --- | --- |
| \`things/\` | \`/api/things\`, \`/api/boxes/:id/things\`, \`/things.js\` (\`script.ts\`) |
| \`users/routes/pages/\` | \`/login\` |

## The last section

| \`last/\` | \`/last\` |
`
const bases = readRouteTable(architecture)

test('the table has a folder for each base path of its section', () => {
  assert.deepEqual(bases, [
    { path: '/api/things', folder: 'things' },
    { path: '/api/boxes/:id/things', folder: 'things' },
    { path: '/things.js', folder: 'things', file: 'script.ts' },
    { path: '/login', folder: 'users/routes/pages' },
  ])
  assert.throws(() => readRouteTable('# Nothing'), /no table/)
})

test('the word after the base path names the files, or the last word of the base path', () => {
  const files = (word: string) => ({
    route: `things/routes/${word}.ts`,
    operations: [...new Set([`things/${word}.ts`, 'things/things.ts'])],
  })
  assert.deepEqual(filesOf(bases, '/api/things'), files('things'))
  assert.deepEqual(filesOf(bases, '/api/things/:id'), files('things'))
  assert.deepEqual(filesOf(bases, '/api/things/@me/icon/:size'), files('icon'))
  assert.deepEqual(filesOf(bases, '/api/boxes/:boxId/things/:id'), files('things'))
  assert.deepEqual(filesOf(bases, '/things.js'), { route: 'things/routes/script.ts', operations: [] })
  assert.deepEqual(filesOf(bases, '/login/passkey'), {
    route: 'users/routes/pages/passkey.ts',
    operations: [],
  })
  assert.equal(filesOf(bases, '/api/boxes/:id'), undefined)
  assert.equal(filesOf(bases, '/api/thingsandmore'), undefined)
})

test('a file declares a path that it contains as a string or a template', () => {
  assert.ok(declaresPath("path: '/api/things/:id',", '/api/things/:id'))
  assert.ok(declaresPath('path: `$' + '{base}/slack`,', '/api/things/:id/slack'))
  assert.ok(!declaresPath("path: '/api/things',", '/api/things/:id'))
  assert.ok(!declaresPath('path: `$' + '{base}/github`,', '/api/things/:id/slack'))
})
