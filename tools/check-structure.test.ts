import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { checkFile, checkNames, listFiles } from './check-structure.ts'

const root = join(import.meta.dirname, '..')

/**
 * Rule, file and text of violations. The rule is a part of the finding; for Biome, its name or a part of its message.
 * `server/` and `web/` stand for their `src/`.
 */
const violations = readFileSync(join(import.meta.dirname, 'structure-violations.txt'), 'utf8')
  .trim()
  .split('\n')
  .map(line => {
    const [, rule = '', path = '', text = ''] = /^(.+?) *\| (\S+) *\| (.+)$/.exec(line) ?? []
    const file = `packages/${path.replace(/^(server|web)\//, '$1/src/')}`
    return { rule, file, text: text.replaceAll('\\n', '\n') }
  })
const ofBiome = violations.filter(({ rule }) => rule.startsWith('Biome: '))
const paths = listFiles(root)

for (const { rule, file, text } of violations.filter(violation => !ofBiome.includes(violation)))
  test(`"${rule}" finds ${text} in ${file}`, () => {
    const findings = checkFile(file, text, paths)
    assert.ok(findings.length === 1 && findings[0]?.includes(rule), findings.join('\n') || 'no finding')
  })

test('Biome finds the violations of its rules', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-structure-'))
  after(() => rmSync(copy, { recursive: true, force: true }))
  for (const file of ['biome.json', ...globSync('packages/*/package.json', { cwd: root })])
    cpSync(join(root, file), join(copy, file))
  for (const { file, text } of ofBiome) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), `${text}\n`)
  }
  const options = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none']
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/biome'), options, {
    cwd: copy,
    encoding: 'utf8',
  })
  for (const { rule, file } of ofBiome) {
    const findings = stdout.split('\n').filter(line => line.includes(`${file},`))
    const isFound = findings.some(line => line.includes(rule.slice('Biome: '.length)))
    assert.ok(isFound, `${rule} in ${file}:\n${findings.join('\n')}`)
  }
})

test('two files of the server have the same name', () => {
  const files = ['packages/server/src/oauth/grants.ts', 'packages/server/src/webhooks/grants.ts']
  assert.match(checkNames(files).join(), /oauth\/grants.ts:1 {2}same name as .*webhooks\/grants.ts/)
})
