import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** For example a `TestContext`. */
interface Scope {
  after(clean: () => void): void
}

interface Place {
  cwd: string
  env: NodeJS.ProcessEnv
}

/** The environment of a shell on this machine, without what `npm test` adds: its variables and Node.js. */
export function shellEnvironment(): NodeJS.ProcessEnv {
  const added = /^(npm_|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD)/i
  const inherited = Object.entries(process.env).filter(([name]) => !added.test(name))
  const folders = process.env.PATH?.split(delimiter).filter(folder => !folder.includes('node_modules'))
  return { ...Object.fromEntries(inherited), PATH: folders?.join(delimiter) }
}

/** An empty folder, and the environment of a shell that has the Node.js of the tests and an empty cache of npm. */
export function createShellFolder(t: Scope): { folder: string; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shell-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = shellEnvironment()
  return {
    folder,
    env: {
      ...env,
      PATH: [dirname(process.execPath), env.PATH].join(delimiter),
      npm_config_cache: join(folder, '.npm'),
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
  }
}

/** Rejects if one of the commands fails. */
export async function runCommands(code: string, { cwd, env }: Place): Promise<void> {
  await promisify(execFile)('sh', ['-e', '-c', code], { cwd, env })
}

/** Resolves when the command prints `ready`. Stops it at the end of the test. Returns a function that reads stderr. */
export async function runUntilReady(t: Scope, code: string, { cwd, env }: Place): Promise<() => string> {
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
