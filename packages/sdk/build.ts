// Builds the package for npm: one JavaScript file and its type declarations. Publish with `npm publish ./dist`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'

const here = import.meta.dirname
const { values } = parseArgs({ options: { out: { type: 'string', default: join(here, 'dist') } } })
const { out } = values

rmSync(out, { recursive: true, force: true })

// Bundled, because the package must not depend on the private packages of this repository.
await build({
  input: join(here, 'src/index.ts'),
  tsconfig: false,
  output: { dir: out, entryFileNames: 'index.js', codeSplitting: false },
})

const types = mkdtempSync(join(tmpdir(), 'gatehouse-sdk-types-'))
try {
  // TypeScript 6 also installs a `tsc` (docs/decisions/typescript-twice.md), so the file is given.
  const compiler = dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json'))
  execFileSync(
    process.execPath,
    [join(compiler, 'bin/tsc'), '-p', join(here, 'tsconfig.build.json'), '--outDir', types],
    { stdio: 'inherit' },
  )
  // `rootDir` includes the private packages, whose declarations are left out: no public type refers to them.
  const own = join(types, 'sdk/src')
  for (const file of globSync('**/*.d.ts', { cwd: own })) {
    // The compiler does not rewrite the extensions of relative imports in declarations.
    const text = readFileSync(join(own, file), 'utf8')
    mkdirSync(dirname(join(out, file)), { recursive: true })
    writeFileSync(join(out, file), text.replaceAll(/(from ')(\.{1,2}\/[^']+)\.ts(';)/g, '$1$2.js$3'))
  }
} finally {
  rmSync(types, { recursive: true, force: true })
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
// The published package does not contain the files of the repository that the README links to.
const readme = readFileSync(join(here, 'README.md'), 'utf8')
writeFileSync(
  join(out, 'README.md'),
  readme.replaceAll(/^ *<!-- .* -->\n/gm, '').replaceAll(/\[([^\]]+)\]\(\.\.[^)]*\)/g, '$1'),
)
