import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { compose, type Service } from './compose.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLogger } from './http/log.ts'
import { AppError } from './kit/app-error.ts'
import { backupDatabase } from './storage/backup.ts'
import { openDatabase } from './storage/open.ts'

const usage = `Usage: npm run gatehouse -- <command>

  serve                                            run the service (npm start)
  migrate                                          bring the database up to this version
  keys rotate                                      publish a new signing key, in use one day later
  user create --username NAME --email ADDRESS      make an account; its password is read from standard input
  user reset-password --login NAME_OR_ADDRESS      set a password, read from standard input; ends all sessions
  user reset-second-factor --login NAME_OR_ADDRESS take passkeys, authenticator app and recovery codes away
  backup FILE                                      copy the SQLite database, also while the service runs
  doctor                                           check configuration, database, bus and keys

Configuration comes from the environment: see docs/reference.md.
`

/** Runs one command of the command line; resolves to the exit code: 0 done, 1 failed, 2 not understood. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return await dispatch([...args])
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

async function dispatch(args: string[]): Promise<number> {
  const [command = '', sub = ''] = args
  switch (`${command} ${sub}`.trim()) {
    case 'serve':
      return serve(readConfig())
    case 'migrate':
      return migrate(readConfig())
    case 'keys rotate':
      return withService(async ({ operator }) => {
        const { kid, activeFrom } = await operator.rotateKeys()
        return `The key ${kid} is published now and signs from ${new Date(activeFrom).toISOString()} on.`
      })
    case 'user create': {
      const {
        username,
        email,
        'display-name': displayName,
      } = options(args.slice(2), ['username', 'email'], ['display-name'])
      const password = await readPassword()
      return withService(async ({ operator }) => {
        const named = displayName === undefined ? {} : { displayName }
        const user = await operator.createUser({
          username: username ?? '',
          email: email ?? '',
          password,
          ...named,
        })
        return `${user.username} was made, with the id ${user.id}.`
      })
    }
    case 'user reset-password': {
      const { login } = options(args.slice(2), ['login'], [])
      const password = await readPassword()
      return withService(async ({ operator }) => {
        const user = await operator.resetPassword({ login: login ?? '', password })
        return `${user.username} has a new password; every session and token of theirs has ended.`
      })
    }
    case 'user reset-second-factor': {
      const { login } = options(args.slice(2), ['login'], [])
      return withService(async ({ operator }) => {
        const user = await operator.resetSecondFactor({ login: login ?? '' })
        return `${user.username} signs in with the password alone until they add a second factor again.`
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
      process.stderr.write(usage)
      return 2
  }
}

/** Runs until SIGTERM or SIGINT, then answers what is under way and ends within ten seconds. */
async function serve(config: Config): Promise<number> {
  const logger = createLogger(config.logLevel)
  let end: (code: number) => void = () => undefined
  const ended = new Promise<number>(resolve => {
    end = resolve
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(0))
  const service = await compose(config, logger, { fatal: () => end(1) })
  try {
    await service.listen()
  } catch (error) {
    await service.close()
    throw error
  }
  logger.info({ url: config.baseUrl, host: config.host, port: config.port }, 'ready')
  const code = await ended
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
    `The database was copied to ${file}. Keep the file secret.key (or SECRET_KEY) beside it.\n`,
  )
  return 0
}

/** The whole service without listening: what a command changes goes the one way, and other nodes are told. */
async function withService(work: (service: Service) => Promise<string>): Promise<number> {
  const service = await compose(readConfig(), createLogger('warn'))
  try {
    process.stdout.write(`${await work(service)}\n`)
    return 0
  } finally {
    await service.close()
  }
}

/** Says of each part whether it works; exit code 1 where one does not. */
async function doctor(config: Config): Promise<number> {
  process.stdout.write(`configuration  good: ${config.baseUrl}\n`)
  const service = await compose(config, createLogger('silent'))
  try {
    const { body, statusCode } = await service.app.inject('/readyz')
    const keysOpen = await service.operator.openKeys().then(
      () => true,
      () => false,
    )
    process.stdout.write(`storage, bus   ${statusCode === 200 ? 'good' : `not good: ${body}`}\n`)
    process.stdout.write(
      `signing keys   ${keysOpen ? 'good' : 'not good: they were sealed with another secret.key or SECRET_KEY'}\n`,
    )
    return statusCode === 200 && keysOpen ? 0 : 1
  } finally {
    await service.close()
  }
}

function options(
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
  if (missing !== undefined) throw new Error(`--${missing} is missing`)
  return values
}

/** The first line of standard input: an argument would stand in the list of processes and in the shell's history. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password: ')
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line
    throw new Error('no password on standard input')
  } finally {
    lines.close()
  }
}

function describe(error: unknown): string {
  if (error instanceof AppError && error.errors) {
    return error.errors.map(fault => `${fault.path}: ${fault.message}`).join('\n')
  }
  return error instanceof Error ? error.message : String(error)
}
