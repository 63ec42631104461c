import { mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { version } from '@gatehouse/protocol/version'
import { type Config, readConfig } from '../config.ts'
import { allocateInYoungGeneration, setYoungGenerationGrowth } from '../kit/memory.ts'
import { argument, command, flag, option, optional } from './command.ts'
import { formatError } from './format-error.ts'
import type { UserAct } from './service-commands.ts'

const login = argument('NAME_OR_ADDRESS')

/** In the order of the usage. A name that begins with another one stands after it. */
export const commands = [
  command('serve', {}, 'start the service', () => withService((service, config) => service.serve(config))),
  command('demo', {}, 'start a community to try out in a temporary folder', async () => {
    const { demo } = await import('./service-commands.ts')
    return demo()
  }),
  command(
    'migrate',
    { 'dry-run': flag },
    'apply all database migrations, or only list them',
    async options => {
      const { databaseUrl } = readConfig()
      const { listPendingMigrations, migrate } = await import('../storage/migrate.ts')
      if (!options['dry-run']) await migrate(databaseUrl)
      const pending = await listPendingMigrations(databaseUrl)
      return pending.length === 0 ? 'The database is up to date.' : pending.join('\n')
    },
  ),
  command('keys list', {}, 'list the signing keys', async () => {
    const { findMissing } = await import('./database-commands.ts')
    const missing = await findMissing(readConfig())
    if (missing !== undefined) throw new Error(`${missing.part}: ${missing.problem}`)
    return withService((service, config) => service.listKeys(config))
  }),
  command(
    'keys rotate',
    { now: flag },
    'publish a new signing key, which signs one day later, or at once',
    ({ now }) => withService((service, config) => service.rotateKeys(config, { now })),
  ),
  command('keys withdraw', { kid: argument('KID') }, 'remove a compromised signing key at once', ({ kid }) =>
    withService((service, config) => service.withdrawKey(config, kid)),
  ),
  command('secret-key replace', {}, 'after the key was lost: make a new one the key of the database', () =>
    withService((service, config) => service.replaceSecretKey(config)),
  ),
  command(
    'user create',
    { username: option('NAME'), email: option('ADDRESS'), 'display-name': optional(option('NAME')) },
    'create a user; the password is read from standard input',
    async ({ 'display-name': displayName, ...names }) => {
      const user = { ...names, ...(displayName === undefined ? {} : { displayName }) }
      const password = await readPassword()
      return withService((service, config) => service.createUser(config, { ...user, password }))
    },
  ),
  command(
    'user reset-password',
    { login: option('NAME_OR_ADDRESS') },
    'set the password from standard input and end all sessions',
    async ({ login }) => {
      const password = await readPassword()
      return withService((service, config) => service.resetPassword(config, { login, password }))
    },
  ),
  command(
    'user reset-second-factor',
    { login: option('NAME_OR_ADDRESS') },
    'delete passkeys, authenticator app and recovery codes',
    ({ login }) => withService((service, config) => service.resetSecondFactor(config, login)),
  ),
  command('user promote|demote', { login }, 'make a user an administrator, or none', changeUser),
  command(
    'user disable|enable',
    { login },
    'disable a user with their bots and applications, or enable them',
    changeUser,
  ),
  command('user confirm-email', { login }, 'confirm the email address of a user', changeUser),
  command('user end-sessions', { login }, 'sign a user out everywhere', ({ login }) =>
    withService((service, config) => service.endSessions(config, login)),
  ),
  command(
    'server|application list',
    { query: optional(argument('NAME_OR_ID')) },
    'list the newest servers or applications, or those that match',
    ({ query }, [kind]) =>
      withService((service, config) => service.listOwned(config, ownedKind(kind), query)),
  ),
  command(
    'server|application disable|enable|delete',
    { id: argument('ID') },
    'nobody finds it; it is back; it is deleted',
    administerOwned,
  ),
  command(
    'server|application transfer',
    { id: argument('ID'), owner: login },
    'make a user the owner of a server or an application',
    administerOwned,
  ),
  command(
    'settings',
    {
      registration: optional(option('open|invite|closed')),
      'server-creation': optional(option('everyone|administrators')),
      name: optional(option('NAME')),
    },
    'show and change the settings of the instance',
    ({ 'server-creation': serverCreation, ...others }) => {
      const changes = { ...others, ...(serverCreation === undefined ? {} : { serverCreation }) }
      return withService((service, config) => service.changeSettings(config, changes))
    },
  ),
  command(
    'backup',
    { file: argument('FILE') },
    'copy the SQLite database, even while the service runs',
    ({ file }) => backup(readConfig(), file),
  ),
  command('backup --record', {}, 'record that you have made a backup, with pg_dump for example', async () => {
    const { recordBackupTime } = await import('./database-commands.ts')
    await recordBackupTime(readConfig().databaseUrl)
    return 'The time of the backup is recorded.'
  }),
  command(
    'copy',
    { from: option('DATABASE_URL'), to: option('DATABASE_URL') },
    'copy the stopped service into an empty database, and verify it',
    async urls => (await import('./database-commands.ts')).copy(urls),
  ),
  command(
    'prune',
    { 'messages-older-than': option('DAYS'), 'dry-run': flag },
    'delete old messages, such as 365d, or count them',
    async ({ 'messages-older-than': age, 'dry-run': dryRun }) =>
      (await import('./database-commands.ts')).prune({ age, dryRun }),
  ),
  command('doctor', {}, 'check configuration, database, bus, keys, clock, disk, mail and proxy', () =>
    doctor(readConfig()),
  ),
  command('--version', {}, 'print the version', async () => version),
]

function changeUser({ login }: { login: string }, [, act]: readonly string[]): Promise<string> {
  return withService((service, config) => service.changeUser(config, act as UserAct, login))
}

function administerOwned(
  owned: { id: string; owner?: string },
  [kind, act = '']: readonly string[],
): Promise<string> {
  return withService((service, config) => service.administerOwned(config, ownedKind(kind), act, owned))
}

function ownedKind(word: string | undefined): 'server' | 'application' {
  return word === 'server' ? 'server' : 'application'
}

/** Loads the service for a command that needs it. */
async function withService<T>(
  run: (service: typeof import('./service-commands.ts'), config: Config) => T,
): Promise<Awaited<T>> {
  const config = readConfig()
  cacheCompiledCode(config.dataDir)
  setYoungGenerationGrowth(false)
  allocateInYoungGeneration()
  return await run(await import('./service-commands.ts'), config)
}

/** Makes every start after the first one faster. Without access to the folder, the service works without the cache. */
function cacheCompiledCode(dataDir: string): void {
  const folder = join(dataDir, 'compile-cache')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
  module.enableCompileCache(folder)
}

/** Prints the result of each check. Exit code 1 if one failed. */
async function doctor(config: Config): Promise<string | number> {
  process.stdout.write(`configuration  OK: ${config.baseUrl}\n`)
  const { findMissing } = await import('./database-commands.ts')
  const missing = await findMissing(config)
  if (missing !== undefined) {
    process.stdout.write(`${missing.part.padEnd(15)}${missing.problem}\n`)
    return 1
  }
  return withService(async () => (await import('./doctor.ts')).checkAll(config))
}

async function backup({ databaseUrl }: Config, file: string): Promise<number> {
  const { recordBackupTime } = await import('./database-commands.ts')
  const { backupDatabase } = await import('../storage/backup.ts')
  await backupDatabase(databaseUrl, file)
  process.stdout.write(
    `Copied the database to ${file}. A restore also needs the file secret.key (or SECRET_KEY).\n`,
  )
  // The copy is complete, also if the database is full, or of the last version, which an upgrade has not migrated yet.
  await recordBackupTime(databaseUrl).catch((error: unknown) => {
    process.stderr.write(`The time of the backup was not recorded. ${formatError(error)}\n`)
  })
  return 0
}

/** Reads the first line of standard input. An argument would be visible in the process list and the shell history. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password: ')
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line
    throw new Error('Standard input must contain the password.')
  } finally {
    lines.close()
  }
}
