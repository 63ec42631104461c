import { existsSync } from 'node:fs'
import { runCommand } from '../run-command.ts'
import { findCommand } from './probe.ts'

const installLimitMs = 240_000

/** Why packages of Debian cannot be installed here, or undefined where they can. */
export function installFault(): string | undefined {
  if (process.env.GATEHOUSE_TEST_INSTALL === '0') return 'GATEHOUSE_TEST_INSTALL=0 forbids to install it'
  if (process.getuid?.() !== 0) return 'only root can install it'
  if (!existsSync('/etc/debian_version') || !findCommand(['apt-get'])) return 'this is no Debian machine'
  return undefined
}

/** Installs a package of Debian; resolves to why it could not be, or undefined where it was. */
export async function install(name: string, signal: AbortSignal): Promise<string | undefined> {
  const apt = (...args: string[]) =>
    runCommand('apt-get', args, {
      cwd: '/',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      output: 'capture',
      timeoutMs: installLimitMs,
      signal,
    })
  // A list of packages that is missing or old names versions that are gone.
  await apt('update', '-qq')
  const { code, output } = await apt('install', '-y', '-qq', '--no-install-recommends', name)
  return code === 0 ? undefined : `apt-get install ${name} failed: ${output.trim().split('\n').at(-1)}`
}
