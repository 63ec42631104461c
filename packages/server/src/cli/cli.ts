import { mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '@gatehouse/protocol/version'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { AppError } from '../errors/app-error.ts'
import { allocateInYoungGeneration, setYoungGenerationGrowth } from '../kit/memory.ts'
import { isSupportedNodeVersion, supportedNodeVersions } from './node-version.ts'
import type { UserAct } from './service-commands.ts'

const usage = `Usage: gatehouse <command>

  serve                                            start the service
  demo                                             start a community to try out in a temporary folder
  migrate [--dry-run]                              apply all database migrations, or only list them
  keys list                                        list the signing keys
  keys rotate [--now]                              publish a new signing key, which signs one day later, or at once
  keys withdraw KID                                remove a compromised signing key at once
  secret-key replace                               after the key was lost: make a new one the key of the database
  user create --username NAME --email ADDRESS      create a user; the password is read from standard input
  user reset-password --login NAME_OR_ADDRESS      set the password from standard input and end all sessions
  user reset-second-factor --login NAME_OR_ADDRESS delete passkeys, authenticator app and recovery codes
  user promote|demote NAME_OR_ADDRESS              make a user an administrator, or none
  user disable|enable NAME_OR_ADDRESS              disable a user with their bots and applications, or enable them
  user confirm-email NAME_OR_ADDRESS               confirm the email address of a user
  user end-sessions NAME_OR_ADDRESS                sign a user out everywhere
  server|application list [NAME_OR_ID]             list the newest servers or applications, or those that match
  server|application disable|enable|delete ID      nobody finds it; it is back; it is deleted
  server|application transfer ID NAME_OR_ADDRESS   make a user the owner of a server or an application
  settings [--registration open|invite|closed] [--server-creation everyone|administrators] [--name NAME]
                                                   show and change the settings of the instance
  backup FILE                                      copy the SQLite database, even while the service runs
  backup --record                                  record that you have made a backup, with pg_dump for example
  copy --from DATABASE_URL --to DATABASE_URL       copy the stopped service into an empty database, and verify it
  prune --messages-older-than DAYS [--dry-run]     delete old messages, such as 365d, or count them
  doctor                                           check configuration, database, bus, keys, clock, disk, mail and proxy
  --version                                        print the version

The configuration is read from environment variables: see docs/reference.md.
In the folder of the source code, gatehouse is "npm run -s gatehouse --".
`

/**
 * Runs one command. Resolves to the exit code: 0 for success, 1 for a failure, 2 for an invalid command or
 * configuration.
 */
export async function run(args: readonly string[]): Promise<number> {
  if (!isSupportedNodeVersion(process.versions.node)) {
    process.stderr.write(`Node.js ${supportedNodeVersions} is needed. This is ${process.versions.node}.\n`)
    return 1
  }
  try {
    return await runCommand([...args])
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

async function runCommand(args: string[]): Promise<number> {
  const [command = '', sub = '', ...rest] = args
  switch (`${command} ${sub}`.trim()) {
    case 'serve': {
      const { commands, config } = await load()
      return commands.serve(config)
    }
    case 'demo': {
      const { demo } = await import('./service-commands.ts')
      return demo()
    }
    case 'migrate':
      return migrate(readConfig())
    case 'migrate --dry-run':
      return listPending(readConfig())
    case 'keys list': {
      const { findMissing } = await import('./database-commands.ts')
      const missing = await findMissing(readConfig())
      if (missing !== undefined) throw new Error(`${missing.part}: ${missing.problem}`)
      const { commands, config } = await load()
      return print(await commands.listKeys(config))
    }
    case 'keys rotate': {
      const options = { now: { type: 'boolean', default: false } } as const
      const { now } = parseArgs({ args: rest, options }).values
      const { commands, config } = await load()
      return print(await commands.rotateKeys(config, { now }))
    }
    case 'keys withdraw': {
      const [kid, ...options] = rest
      if (kid === undefined) break
      parseOptions(options, [], [])
      const { commands, config } = await load()
      return print(await commands.withdrawKey(config, kid))
    }
    case 'secret-key replace': {
      parseOptions(rest, [], [])
      const { commands, config } = await load()
      return print(await commands.replaceSecretKey(config))
    }
    case 'user create': {
      const options = parseOptions(rest, ['username', 'email'], ['display-name'])
      const { username = '', email = '', 'display-name': displayName } = options
      const password = await readPassword()
      const { commands, config } = await load()
      const user = { username, email, password, ...(displayName === undefined ? {} : { displayName }) }
      return print(await commands.createUser(config, user))
    }
    case 'user reset-password': {
      const { login = '' } = parseOptions(rest, ['login'], [])
      const password = await readPassword()
      const { commands, config } = await load()
      return print(await commands.resetPassword(config, { login, password }))
    }
    case 'user reset-second-factor': {
      const { login = '' } = parseOptions(rest, ['login'], [])
      const { commands, config } = await load()
      return print(await commands.resetSecondFactor(config, login))
    }
    case 'user promote':
    case 'user demote':
    case 'user disable':
    case 'user enable':
    case 'user confirm-email': {
      const [login, ...options] = rest
      if (login === undefined) break
      parseOptions(options, [], [])
      const { commands, config } = await load()
      return print(await commands.changeUser(config, sub as UserAct, login))
    }
    case 'user end-sessions': {
      const [login, ...options] = rest
      if (login === undefined) break
      parseOptions(options, [], [])
      const { commands, config } = await load()
      return print(await commands.endSessions(config, login))
    }
    case 'server list':
    case 'application list': {
      const { commands, config } = await load()
      return print(await commands.listOwned(config, command === 'server' ? 'server' : 'application', rest[0]))
    }
    case 'server disable':
    case 'server enable':
    case 'server delete':
    case 'server transfer':
    case 'application disable':
    case 'application enable':
    case 'application delete':
    case 'application transfer': {
      const [id, owner] = rest
      if (id === undefined || (sub === 'transfer') !== (owner !== undefined)) break
      const { commands, config } = await load()
      const kind = command === 'server' ? 'server' : 'application'
      return print(await commands.administerOwned(config, kind, sub, { id, owner }))
    }
    case 'backup --record':
      parseOptions(rest, [], [])
      return recordBackup(readConfig())
    case 'doctor':
      return doctor(readConfig())
    case '--version':
      return print(version)
    case 'help':
    case '--help':
    case '':
      process.stdout.write(usage)
      return 0
    default:
      // `backup --help` must not create a file of that name.
      if (command === 'backup' && sub !== '' && !sub.startsWith('-')) return backup(readConfig(), sub)
      if (command === 'copy') return copy(args.slice(1))
      if (command === 'prune') return prune(args.slice(1))
      if (command === 'settings') return settings(args.slice(1))
  }
  process.stderr.write(describeMistake(command, sub))
  return 2
}

function describeMistake(command: string, sub: string): string {
  const found = usage.split('\n').flatMap(line => {
    const [, names = '', next = ''] = /^ {2}(\S+) +(\S+)/.exec(line) ?? []
    return names.split('|').includes(command) ? [{ line, isSame: next.split('|').includes(sub) }] : []
  })
  const same = found.filter(({ isSame }) => isSame)
  const similar = (same.length > 0 ? same : found).map(({ line }) => line)
  if (similar.length === 0) return `Unknown command "${command}". gatehouse --help lists the commands.\n`
  return `"${`${command} ${sub}`.trim()}" is not complete or not known. Usage:\n\n${similar.join('\n')}\n`
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

/** Prints the result of each check. Exit code 1 if one failed. */
async function doctor(config: Config): Promise<number> {
  print(`configuration  OK: ${config.baseUrl}`)
  const { findMissing } = await import('./database-commands.ts')
  const missing = await findMissing(config)
  if (missing !== undefined) {
    print(`${missing.part.padEnd(15)}${missing.problem}`)
    return 1
  }
  await load()
  const { checkAll } = await import('./doctor.ts')
  return checkAll(config)
}

/** The configuration, and the commands that need the service. */
async function load() {
  const config = readConfig()
  cacheCompiledCode(config.dataDir)
  setYoungGenerationGrowth(false)
  allocateInYoungGeneration()
  return { config, commands: await import('./service-commands.ts') }
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

async function migrate(config: Config): Promise<number> {
  const { migrate } = await import('../storage/migrate.ts')
  await migrate(config.databaseUrl)
  return print('The database is up to date.')
}

async function listPending(config: Config): Promise<number> {
  const { listPendingMigrations } = await import('../storage/migrate.ts')
  const names = await listPendingMigrations(config.databaseUrl)
  return print(names.length === 0 ? 'The database is up to date.' : names.join('\n'))
}

async function backup({ databaseUrl }: Config, file: string): Promise<number> {
  const { recordBackupTime } = await import('./database-commands.ts')
  const { backupDatabase } = await import('../storage/backup.ts')
  await backupDatabase(databaseUrl, file)
  print(`Copied the database to ${file}. A restore also needs the file secret.key (or SECRET_KEY).`)
  // The copy is complete, also if the database is full, or of the last version, which an upgrade has not migrated yet.
  await recordBackupTime(databaseUrl).catch((error: unknown) => {
    process.stderr.write(`The time of the backup was not recorded. ${formatError(error)}\n`)
  })
  return 0
}

async function recordBackup({ databaseUrl }: Config): Promise<number> {
  const { recordBackupTime } = await import('./database-commands.ts')
  await recordBackupTime(databaseUrl)
  return print('The time of the backup is recorded.')
}

async function copy(args: string[]): Promise<number> {
  const { from = '', to = '' } = parseOptions(args, ['from', 'to'], [])
  const { copy } = await import('./database-commands.ts')
  return copy({ from, to })
}

async function prune(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { 'messages-older-than': { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  })
  const { prune } = await import('./database-commands.ts')
  const { 'messages-older-than': age = '', 'dry-run': dryRun } = values
  return print(await prune({ age, dryRun }))
}

async function settings(args: string[]): Promise<number> {
  const options = parseOptions(args, [], ['registration', 'server-creation', 'name'])
  const { registration, 'server-creation': serverCreation, name } = options
  const changes = {
    ...(registration === undefined ? {} : { registration }),
    ...(serverCreation === undefined ? {} : { serverCreation }),
    ...(name === undefined ? {} : { name }),
  }
  const { commands, config } = await load()
  return print(await commands.changeSettings(config, changes))
}

function parseOptions(
  args: string[],
  required: readonly string[],
  optional: readonly string[],
): Record<string, string | undefined> {
  const names = [...required, ...optional]
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
  })
  const missing = required.find(name => values[name] === undefined)
  if (missing !== undefined) throw new Error(`The option --${missing} is required.`)
  return values
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

function formatError(error: unknown): string {
  if (error instanceof AppError && error.errors) {
    return error.errors.map(({ path, message }) => `${path}: ${message}`).join('\n')
  }
  return error instanceof Error ? error.message : String(error)
}
