import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { compose, type Service } from './compose.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLogger } from './http/log.ts'
import { AppError } from './kit/app-error.ts'
import { keysMaxAge, type SigningKeyState } from './oauth/index.ts'
import { backupDatabase } from './storage/backup.ts'
import { openDatabase } from './storage/open.ts'

const usage = `Usage: npm run gatehouse -- <command>

  serve                                            start the service (npm start)
  migrate                                          apply all database migrations
  keys list                                        list the signing keys
  keys rotate [--now]                              publish a new signing key, which signs one day later, or at once
  keys withdraw KID                                remove a compromised signing key at once
  user create --username NAME --email ADDRESS      create a user; the password is read from standard input
  user reset-password --login NAME_OR_ADDRESS      set the password from standard input and end all sessions
  user reset-second-factor --login NAME_OR_ADDRESS delete passkeys, authenticator app and recovery codes
  backup FILE                                      copy the SQLite database, even while the service runs
  doctor                                           check the configuration, database, bus and signing keys

The configuration is read from environment variables: see docs/reference.md.
`

/** Runs one command. Resolves to the exit code: 0 for success, 1 for a failure, 2 for an invalid command or configuration. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return await runCommand([...args])
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

async function runCommand(args: string[]): Promise<number> {
  const [command = '', sub = ''] = args
  switch (`${command} ${sub}`.trim()) {
    case 'serve':
      return serve(readConfig())
    case 'migrate':
      return migrate(readConfig())
    case 'keys list':
      return withService(async ({ operator }) => {
        const keys = await operator.listKeys()
        return keys.length === 0 ? 'There is no signing key yet.' : keys.map(describeKey).join('\n')
      })
    case 'keys rotate': {
      const { now } = parseArgs({
        args: args.slice(2),
        options: { now: { type: 'boolean', default: false } },
      }).values
      return withService(async ({ operator }) => {
        const { kid, activeFrom } = await operator.rotateKeys({ now })
        return `The key ${kid} is published. It signs from ${new Date(activeFrom).toISOString()}.`
      })
    }
    case 'keys withdraw': {
      const [kid] = args.slice(2)
      if (kid === undefined) break
      return withService(async ({ operator }) => {
        const { successor } = await operator.withdrawKey(kid)
        const next = successor === undefined ? '' : ` The new key ${successor} signs now.`
        return (
          `The key ${kid} is withdrawn.${next} ` +
          `Applications that cache the keys accept its tokens for up to ${keysMaxAge / 60} minutes.`
        )
      })
    }
    case 'user create': {
      const {
        username,
        email,
        'display-name': displayName,
      } = parseOptions(args.slice(2), ['username', 'email'], ['display-name'])
      const password = await readPassword()
      return withService(async ({ operator }) => {
        const user = await operator.createUser({
          username: username ?? '',
          email: email ?? '',
          password,
          ...(displayName === undefined ? {} : { displayName }),
        })
        return `Created the user ${user.username} with the id ${user.id}.`
      })
    }
    case 'user reset-password': {
      const { login } = parseOptions(args.slice(2), ['login'], [])
      const password = await readPassword()
      return withService(async ({ operator }) => {
        const user = await operator.resetPassword({ login: login ?? '', password })
        return `Set the password of ${user.username}. All of their sessions and tokens are revoked.`
      })
    }
    case 'user reset-second-factor': {
      const { login } = parseOptions(args.slice(2), ['login'], [])
      return withService(async ({ operator }) => {
        const user = await operator.resetSecondFactor({ login: login ?? '' })
        return `Deleted the second factors of ${user.username}. Until they add one, they sign in with only the password.`
      })
    }
    case 'doctor':
      return doctor(readConfig())
    case 'help':
    case '--help':
    case '':
      process.stdout.write(usage)
      return 0
    default:
      if (command === 'backup' && sub !== '') return backup(readConfig(), sub)
  }
  process.stderr.write(usage)
  return 2
}

function describeKey({ kid, state, activeFrom, publishedUntil }: SigningKeyState): string {
  const from = new Date(activeFrom).toISOString()
  if (state === 'current') return `${kid}  signs since ${from}`
  if (state === 'next') return `${kid}  will sign from ${from}`
  return `${kid}  verifies until ${new Date(publishedUntil ?? 0).toISOString()}`
}

/** Runs until SIGTERM or SIGINT, then completes the requests in flight and exits within ten seconds. */
async function serve(config: Config): Promise<number> {
  const logger = createLogger(config.logLevel)
  const { promise: exitCode, resolve: exit } = Promise.withResolvers<number>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => exit(0))
  const service = await compose(config, logger, { fatal: () => exit(1) })
  try {
    await service.listen()
  } catch (error) {
    await service.close()
    throw error
  }
  logger.info({ url: config.baseUrl, host: config.host, port: config.port }, 'ready')
  const code = await exitCode
  logger.info('stopping')
  const deadline = setTimeout(() => process.exit(1), 10_000)
  await service.close()
  clearTimeout(deadline)
  return code
}

async function migrate(config: Config): Promise<number> {
  const db = await openDatabase(config.databaseUrl)
  await db.close()
  process.stdout.write('The database is up to date.\n')
  return 0
}

async function backup(config: Config, file: string): Promise<number> {
  await backupDatabase(config.databaseUrl, file)
  process.stdout.write(
    `Copied the database to ${file}. A restore also needs the file secret.key (or SECRET_KEY).\n`,
  )
  return 0
}

/** Composes the service without listening, so that commands use the same operations and events as requests, and other nodes receive them. */
async function withService(command: (service: Service) => Promise<string>): Promise<number> {
  const service = await compose(readConfig(), createLogger('warn'))
  try {
    process.stdout.write(`${await command(service)}\n`)
    return 0
  } finally {
    await service.close()
  }
}

/** Prints the result of each check. Exit code 1 if one failed. */
async function doctor(config: Config): Promise<number> {
  process.stdout.write(`configuration  OK: ${config.baseUrl}\n`)
  const service = await compose(config, createLogger('silent'))
  try {
    const { body, statusCode } = await service.app.inject('/readyz')
    const keysOpen = await service.operator.openKeys().then(
      () => true,
      () => false,
    )
    process.stdout.write(`database, bus  ${statusCode === 200 ? 'OK' : `failed: ${body}`}\n`)
    process.stdout.write(
      `signing keys   ${keysOpen ? 'OK' : 'failed: they are encrypted with another secret.key or SECRET_KEY'}\n`,
    )
    return statusCode === 200 && keysOpen ? 0 : 1
  } finally {
    await service.close()
  }
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
