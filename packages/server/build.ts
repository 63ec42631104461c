// Builds the package `gatehouse` for npm: the service, the web client, the SDK and the examples of the demo. Publish
// with `npm publish ./dist/gatehouse`. docs/decisions/server-bundle.md has the reasons.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type OutputChunk, type Plugin } from 'rolldown'
import { supportedNodeVersions } from './src/cli/node-version.ts'

const root = join(import.meta.dirname, '../..')
const source = join(import.meta.dirname, 'src')
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist/gatehouse') } } })
const out = resolve(values.out)
// Each file has the same path as in the repository, with `dist` for `src`, so that relative URLs of files stay correct.
const serverOut = join(out, 'packages/server/dist')

/** The folders of the packages whose code is in the result. */
const bundled = new Set<string>()

/** Libraries with native code, which cannot be bundled. */
const external = ['sharp']

interface Package {
  name: string
  version: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A bundle moves modules into other files. `import.meta` keeps the value that it has in the module. */
const keepModuleUrls: Plugin = {
  name: 'keep-module-urls',
  transform(code, id) {
    if (!id.startsWith(source) || !code.includes('import.meta')) return null
    const url = `new URL('./${relative(source, id).replaceAll('\\', '/')}', import.meta.url).href`
    const kept = code.replaceAll('import.meta.url', url)
    return { code: kept.replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, keepFile), map: null }
  },
}

/** Only `wildcard: false` of @fastify/static, which we do not use, needs `glob` (140 kB). It loads on demand. */
const loadGlobOnDemand: Plugin = {
  name: 'load-glob-on-demand',
  transform(code, id) {
    if (!id.endsWith('/@fastify/static/index.js')) return null
    const eager = "const { glob } = require('glob')"
    if (!code.includes(eager)) throw new Error(`@fastify/static does not load glob with ${eager}`)
    return {
      code: code.replace(eager, "const glob = (...args) => import('glob').then(m => m.glob(...args))"),
      map: null,
    }
  },
}

/**
 * An `import` of `node:http` reads all its exports. One is `WebSocket`, which loads the HTTP client of Node.js
 * (undici). The service does not need it: without it, the service takes 1 MiB less.
 */
const importHttpWithoutUndici: Plugin = {
  name: 'import-http-without-undici',
  resolveId: (source, _importer, { kind }) =>
    source === 'node:http' && kind === 'import-statement' ? '\0node:http' : null,
  load: id =>
    id === '\0node:http'
      ? `const http = process.getBuiltinModule('node:http')
export default http
export const { Agent, STATUS_CODES, createServer, request } = http`
      : null,
}

/** V8 stores text with only ASCII characters in half the memory, and Node.js decodes it faster. */
function escapeNonAscii(file: string): void {
  // A UTF-16 unit, not a code point: both halves of a surrogate pair are escaped.
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[\u0080-\uffff]/g, escapeUnit))
}

/** Copies the file of a library that the service sends to browsers. Returns the expression for its URL. */
function keepFile(_expression: string, library: string): string {
  const file = fileURLToPath(import.meta.resolve(library))
  const path = relative(root, file)
    .replaceAll('\\', '/')
    .replace(/^.*node_modules\//, 'libraries/')
  const folder = findPackage(file)
  const kept = join(serverOut, path.slice(0, path.length - relative(folder, file).length))
  cpSync(join(folder, 'dist/bundle'), join(kept, 'dist/bundle'), { recursive: true })
  bundled.add(folder)
  return `new URL('./${path}', import.meta.url).href`
}

async function bundle(entry: string, file: string): Promise<void> {
  const { output } = await build({
    input: { [basename(file, '.js')]: join(root, entry) },
    platform: 'node',
    external,
    tsconfig: false,
    plugins: [keepModuleUrls, loadGlobOnDemand, importHttpWithoutUndici],
    output: {
      dir: join(out, dirname(file)),
      chunkFileNames: '[name].js',
      sourcemap: true,
      // The licenses are in THIRD-PARTY-LICENSES.md.
      comments: false,
    },
  })
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk')
  for (const { fileName } of chunks) escapeNonAscii(join(out, dirname(file), fileName))
  for (const id of chunks.flatMap(chunk => chunk.moduleIds)) {
    if (id.includes('node_modules')) bundled.add(findPackage(id))
  }
}

/** The folder of the package that contains the file. */
function findPackage(file: string): string {
  const folder = dirname(file)
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && readPackage(manifest).name ? folder : findPackage(folder)
}

function readPackage(manifest: string): Package {
  return JSON.parse(readFileSync(manifest, 'utf8'))
}

function copy(path: string, target = path): void {
  cpSync(join(root, path), join(out, target), { recursive: true, filter: from => basename(from) !== '.vite' })
}

/** In the format of the list that Vite writes for the web client. */
function listLicenses(): string {
  const sections = [...bundled].map(folder => {
    const { name, version, license = 'no license given' } = readPackage(join(folder, 'package.json'))
    const texts = globSync('{LICENSE,LICENCE,NOTICE,license,notice}*', { cwd: folder })
      .filter(file => !/\.(js|ts)$/.test(file))
      .toSorted()
      .map(file => readFileSync(join(folder, file), 'utf8').trim())
    return [`## ${name} - ${version} (${license})`, ...texts].join('\n\n')
  })
  const web = readFileSync(join(root, 'packages/web/dist/.vite/license.md'), 'utf8')
  const webSections = web.split(/^(?=## \S+ - \d)/m).slice(1)
  const all = new Set([...sections, ...webSections.map(section => section.trim())])
  return `# Licenses of bundled libraries\n\n${[...all].toSorted().join('\n\n')}\n`
}

/**
 * The packages of the lock file that `names` need, so that every installation gets these versions and integrity values.
 */
function lockOf(names: readonly string[], locked: Record<string, Package>): Record<string, Package> {
  const needed: Record<string, Package> = {}
  function add(name: string): void {
    const key = `node_modules/${name}`
    const entry = locked[key]
    if (!entry || needed[key]) return
    needed[key] = entry
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) add(next)
  }
  for (const name of names) add(name)
  return needed
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(join(out, file), `${JSON.stringify(value, null, 2)}\n`)
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
await bundle('packages/server/src/cli/main.ts', 'packages/server/dist/main.js')
for (const example of ['dice-bot/bot', 'sign-in-site/server']) {
  await bundle(`examples/${example}.ts`, `examples/${example}.js`)
}
copy('examples/sign-in-site/public')
for (const file of globSync('**/*.{eta,css,svg,sql,js}', { cwd: source })) {
  copy(`packages/server/src/${file}`, `packages/server/dist/${file}`)
}
copy('packages/web/dist')
copy('packages/api-reference/dist')
bundled.add(join(root, 'node_modules/@scalar/fastify-api-reference'))
const sdk = 'packages/bot/dist/gatehouse-bot.tgz'
copy(sdk)
copy('packages/bot/dist/gatehouse-bot.tgz')
copy('LICENSE')
copy('packages/server/README.md', 'README.md')
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.md'), listLicenses())

const { version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock: { packages: Record<string, Package> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)
const dependencies = Object.fromEntries(
  external.map(name => [name, lock.packages[`node_modules/${name}`]?.version]),
)
cpSync(join(root, sdk), join(dirname(out), `gatehouse-bot-${version}.tgz`))
const published = {
  name: 'gatehouse',
  version,
  description,
  license,
  type: 'module',
  bin: { gatehouse: 'packages/server/dist/main.js' },
  engines: { node: supportedNodeVersions },
  dependencies,
}
writeJson('package.json', published)
writeJson('npm-shrinkwrap.json', {
  name: published.name,
  version,
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { name: published.name, version, license, dependencies },
    ...lockOf(external, lock.packages),
  },
})
