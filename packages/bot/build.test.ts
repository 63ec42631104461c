import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'

const compiler = dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json'))

const consumer = `
import { button, createBot, createTestBot, row } from '@gatehouse/bot'
const bot = createBot({ token: 'gbt_x', url: 'https://chat.example.org' })
bot.command(
  {
    name: 'roll',
    description: 'Roll',
    options: [{ type: 'integer', name: 'sides', description: 'Sides', required: true }],
  },
  async ctx => {
    const sides: number = ctx.options.sides
    // @ts-expect-error: the definition has no such option
    const count = ctx.options.count
    await ctx.reply({ content: \`\${sides} \${count}\`, components: [row(button('again', 'Again'))] })
  },
)
const use = createTestBot(bot).command('roll', { sides: 6 })
await use.ended
console.log(use.reply?.content)
`

test('the published package works outside this repository: types without dependencies, and JavaScript', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sdk-'))
  try {
    const out = join(folder, 'node_modules/@gatehouse/bot')
    mkdirSync(dirname(out), { recursive: true })
    execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts'), '--out', out])
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'bot.ts'), consumer)
    const settings = {
      compilerOptions: {
        target: 'es2024',
        module: 'nodenext',
        lib: ['esnext', 'dom'],
        types: [],
        strict: true,
        // Checks the declaration files too.
        skipLibCheck: false,
      },
      files: ['bot.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    execFileSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', folder], { encoding: 'utf8' })
    const said = execFileSync(process.execPath, [join(folder, 'bot.js')], { encoding: 'utf8' })
    assert.equal(said, '6 undefined\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a build is reproducible, and publint and "are the types wrong" find no problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sdk-'))
  try {
    const build = () =>
      execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts'), '--out', folder])
    const readTarball = () => readFileSync(join(folder, 'gatehouse-bot.tgz'))
    build()
    const tarball = readTarball()
    build()
    assert.deepEqual(readTarball(), tarball)
    const { messages } = await publint({ pkgDir: folder, strict: true })
    assert.deepEqual(messages, [])
    // Packs the folder as npm does, and exits with an error if it finds a problem. The package is ESM only.
    const attw = dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json')))
    const args = [join(attw, 'dist/index.js'), '--pack', folder, '--profile', 'esm-only']
    assert.match(execFileSync(process.execPath, args, { encoding: 'utf8' }), /@gatehouse\/bot v/)
    assert.ok(!readFileSync(join(folder, 'README.md'), 'utf8').includes('](..'), 'a link that leads nowhere')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
