import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { listenHttp } from '@gatehouse/testkit/listen'

// Runs the commands of a guide exactly as the guide prints them, in an empty folder.

const root = join(import.meta.dirname, '..')

interface Block {
  language: string
  code: string
}

/** Returns the code blocks between a Markdown heading and the next one, without the indentation of list items. */
export function readCodeBlocks(text: string, heading: string): Block[] {
  const [, section = ''] = text.split(`\n${heading}\n`)
  // At least `##`: in a shell command, a single `#` starts a comment.
  const end = section.search(/^##+ /m)
  const blocks = section
    .slice(0, end < 0 ? undefined : end)
    .matchAll(/^([ \t]*)```(\w+)\n([\s\S]*?)\n[ \t]*```$/gm)
  return Array.from(blocks, ([, indent = '', language = '', code = '']) => ({
    language,
    code: code
      .split('\n')
      .map(line => line.slice(line.startsWith(indent) ? indent.length : 0))
      .join('\n'),
  }))
}

/** Creates a folder with a link `gatehouse` to this repository, and an environment without the variables of `npm run`. */
export function createGuideFolder(t: Pick<TestContext, 'after'>): { folder: string; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-steps-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(root, join(folder, 'gatehouse'))
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm|NODE|INIT_CWD)/i.test(name))
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    npm_config_cache: join(folder, '.npm'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
  return { folder, env }
}

/** Rejects if one of the commands fails. */
export async function runCommands(
  code: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  await promisify(execFile)('sh', ['-e', '-c', code], { cwd, env })
}

/** Resolves when the command prints `ready`. Stops it at the end of the test. Returns a function that reads stderr. */
export async function runUntilReady(
  t: Pick<TestContext, 'after'>,
  code: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<() => string> {
  const child = spawn('sh', ['-c', code], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  t.after(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  for await (const line of createInterface(child.stdout)) if (line === 'ready') return () => errors
  assert.fail(`The command ended: ${errors}`)
}

/** Serves packages of this repository's `node_modules` as a registry on loopback, for `npm install` by name. */
export async function startRegistry(t: TestContext, names: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-registry-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { url } = await listenHttp(t, (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const body = bodies.get(path)
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  const bodies = new Map<string, string | Buffer>()
  const { env } = createGuideFolder(t)
  for (const name of names) {
    const source = join(root, 'node_modules', name)
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    const args = ['pack', source, '--ignore-scripts', '--json', '--pack-destination', folder]
    execFileSync('npm', args, { cwd: folder, env, stdio: 'pipe' })
    const file = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
    const content = readFileSync(join(folder, file))
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const version = { ...manifest, dist: { tarball: `${url}/${file}`, integrity } }
    bodies.set(file, content)
    bodies.set(
      name,
      JSON.stringify({
        name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: version },
      }),
    )
  }
  return url
}

/** Writes the TypeScript blocks of a page to files. The comment before a block is the name of its file. */
export function writeSamples(text: string, folder: string): string[] {
  const blocks = text.matchAll(/^([ \t]*)<!-- (\S+\.ts) -->\n[ \t]*```ts\n([\s\S]*?)\n[ \t]*```$/gm)
  return Array.from(blocks, ([, indent = '', path = '', code = '']) => {
    const file = basename(path)
    writeFileSync(join(folder, file), code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    return file
  })
}
