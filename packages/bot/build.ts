// Builds the package for npm in `dist/`: JavaScript, type declarations, and the tarball `gatehouse-bot.tgz` that the
// service offers at `/sdk/gatehouse-bot.tgz`. The same sources give the same bytes. Publish with `npm publish ./dist`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'
import { isolatedDeclarationSync } from 'rolldown/experimental'

const here = import.meta.dirname
const { values } = parseArgs({ options: { out: { type: 'string', default: join(here, 'dist') } } })
const { out } = values

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })

// Bundled, because the package must not depend on the private packages of this repository.
await build({
  input: join(here, 'src/index.ts'),
  tsconfig: false,
  external: ['ws'],
  // Without it, the package has the definitions of the protocol too, which only the service needs.
  treeshake: { propertyReadSideEffects: false },
  output: { file: join(out, 'index.js'), paths: { ws: './ws.js' } },
})
// Only Node.js 20 loads it.
await build({
  input: 'ws',
  cwd: here,
  tsconfig: false,
  platform: 'node',
  output: { file: join(out, 'ws.js') },
})

// Only the declarations that those of `index.ts` import: other modules import the protocol, which is not published.
const declared = new Set(['index'])
for (const module of declared) {
  const file = `${module}.ts`
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(here, 'src', file), 'utf8'))
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('\n')}`)
  for (const [, imported = ''] of code.matchAll(/from "\.\/([^"]+)\.ts";/g)) declared.add(imported)
  // TypeScript does not rewrite the extensions of relative imports in declarations.
  writeFileSync(join(out, `${module}.d.ts`), code.replaceAll(/(from ")(\.\/[^"]+)\.ts(";)/g, '$1$2.js$3'))
}

const { name, version, description, license, type } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
)
const published = {
  name,
  version,
  description,
  license,
  type,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  files: ['*.js', '*.d.ts', 'LICENSE-ws'],
  engines: { node: '>=20.3', bun: '>=1.2', deno: '>=2' },
  sideEffects: false,
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(here, '../../LICENSE'), join(out, 'LICENSE'))
const ws = dirname(createRequire(import.meta.url).resolve('ws/package.json'))
copyFileSync(join(ws, 'LICENSE'), join(out, 'LICENSE-ws'))
// The published package does not contain the files of the repository that the README links to.
const readme = readFileSync(join(here, 'README.md'), 'utf8')
writeFileSync(
  join(out, 'README.md'),
  readme.replaceAll(/^ *<!-- .* -->\n/gm, '').replaceAll(/\[([^\]]+)\]\(\.\.[^)]*\)/g, '$1'),
)

const [packed] = JSON.parse(runNpm('pack', '--ignore-scripts', '--json'))
renameSync(join(out, packed.filename), join(out, 'gatehouse-bot.tgz'))

/** In a script of npm, `npm_execpath` is its JavaScript. On Windows, `npm` alone is not a program. */
function runNpm(...args: string[]): string {
  const { npm_execpath: npm } = process.env
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []]
  return execFileSync(command, [...first, ...args], {
    cwd: out,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
