// Makes the package as it is published, for runtimes and bundlers that take no TypeScript: `npm publish ./dist`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const here = import.meta.dirname
const { values } = parseArgs({ options: { out: { type: 'string', default: join(here, 'dist') } } })
const { out } = values

rmSync(out, { recursive: true, force: true })
// The name `tsc` is claimed by TypeScript 6 too (docs/decisions/typescript-twice.md): the file is named here.
const compiler = dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json'))
execFileSync(
  process.execPath,
  [join(compiler, 'bin/tsc'), '-p', join(here, 'tsconfig.build.json'), '--outDir', out],
  { stdio: 'inherit' },
)

// In declarations the compiler leaves the extensions of relative imports as they are.
for (const file of globSync('**/*.d.ts', { cwd: out })) {
  const text = readFileSync(join(out, file), 'utf8')
  writeFileSync(join(out, file), text.replaceAll(/(from ')(\.{1,2}\/[^']+)\.ts(';)/g, '$1$2.js$3'))
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
  engines: { node: '>=22', bun: '>=1.2', deno: '>=2' },
  sideEffects: false,
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(here, '../../LICENSE'), join(out, 'LICENSE'))
// The package lies elsewhere: a link to this repository's own files would lead nowhere.
const readme = readFileSync(join(here, 'README.md'), 'utf8')
writeFileSync(
  join(out, 'README.md'),
  readme.replaceAll(/^ *<!-- .* -->\n/gm, '').replaceAll(/\[([^\]]+)\]\(\.\.[^)]*\)/g, '$1'),
)
