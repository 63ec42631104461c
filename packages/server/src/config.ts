import { isIP } from 'node:net'

/** The only file that reads the environment (D4). */

interface Variable<T> {
  name: string
  /** In words, for the reference; '' where there is none. */
  default: string
  description: string
  /** Throws an Error whose message says what is expected. `raw` is undefined where the variable is not set or empty. */
  parse(raw: string | undefined): T
}

function variable<T>(
  name: string,
  fallback: string,
  description: string,
  parse: Variable<T>['parse'],
): Variable<T> {
  return { name, default: fallback, description, parse }
}

const declared = {
  baseUrl: variable(
    'BASE_URL',
    'http://localhost:3000',
    'The address people and programs reach the service at. Never taken from a request.',
    raw => {
      const url = parseUrl(raw ?? 'http://localhost:3000', ['http:', 'https:'])
      if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
        throw new Error('expected scheme, host and port only, as in https://chat.example.org')
      }
      return url.origin
    },
  ),
  port: variable('PORT', '3000', 'The port to listen on.', raw => integer(raw ?? '3000', 0, 65_535)),
  host: variable('HOST', '127.0.0.1', 'The address to listen on.', raw => raw ?? '127.0.0.1'),
  databaseUrl: variable(
    'DATABASE_URL',
    'sqlite:data/gatehouse.db',
    '`sqlite:PATH` or `postgres://…`.',
    raw => {
      const url = raw ?? 'sqlite:data/gatehouse.db'
      if (/^sqlite:.+/.test(url)) return url
      parseUrl(url, ['postgres:', 'postgresql:'])
      return url
    },
  ),
  natsUrl: variable(
    'NATS_URL',
    '',
    'The bus between nodes, `nats://…`, several separated by commas; without it the service is one process.',
    raw => {
      if (raw === undefined) return undefined
      for (const server of raw.split(',')) parseUrl(server.trim(), ['nats:', 'tls:'])
      return raw
    },
  ),
  smtpUrl: variable(
    'SMTP_URL',
    '',
    'Where mail goes out, `smtp://…`; without it mails are written to `data/outbox/`.',
    raw => (raw === undefined ? undefined : parseUrl(raw, ['smtp:', 'smtps:']).href),
  ),
  mailFrom: variable(
    'MAIL_FROM',
    'Gatehouse <gatehouse@localhost>',
    'The sender of mails.',
    raw => raw ?? 'Gatehouse <gatehouse@localhost>',
  ),
  secretKey: variable(
    'SECRET_KEY',
    'made once in `data/secret.key`',
    '32 bytes in base64: seals signing keys and webhook tokens.',
    raw => {
      if (raw === undefined) return undefined
      const key = Buffer.from(raw, 'base64')
      if (key.length !== 32) throw new Error('expected 32 bytes in base64 (openssl rand -base64 32)')
      return new Uint8Array(key)
    },
  ),
  trustProxy: variable(
    'TRUST_PROXY',
    '',
    'Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is believed, separated by commas.',
    raw => addresses(raw),
  ),
  registration: variable(
    'REGISTRATION',
    'open',
    'Who may make an account: `open`, `invite` or `closed`.',
    raw => oneOf(raw ?? 'open', ['open', 'invite', 'closed']),
  ),
  userinfoScope: variable(
    'USERINFO_SCOPE',
    'identify',
    'The scope that userinfo needs: `identify` or `openid` (D15).',
    raw => oneOf(raw ?? 'identify', ['identify', 'openid']),
  ),
  refreshGraceSeconds: variable(
    'REFRESH_GRACE_SECONDS',
    '0',
    'How long a used refresh token gives the same successor again (D13).',
    raw => integer(raw ?? '0', 0, 3600),
  ),
  confirmUnverifiedApps: variable(
    'CONFIRM_UNVERIFIED_APPS',
    'off',
    'Ask again each time for public applications without https (D71).',
    raw => onOff(raw ?? 'off'),
  ),
  requireVerifiedEmail: variable(
    'REQUIRE_VERIFIED_EMAIL',
    'off',
    'Servers, applications and messages need a confirmed mail address (D49).',
    raw => onOff(raw ?? 'off'),
  ),
  rateLimits: variable('RATE_LIMITS', 'on', '`off` lifts every limit on how often, for load tests.', raw =>
    onOff(raw ?? 'on'),
  ),
  logLevel: variable(
    'LOG_LEVEL',
    'info',
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    raw => oneOf(raw ?? 'info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  ),
  metricsToken: variable(
    'METRICS_TOKEN',
    '',
    'Opens `/metrics` to `Authorization: Bearer`; without it only loopback may read it.',
    raw => raw,
  ),
  allowPrivateTargets: variable(
    'ALLOW_PRIVATE_TARGETS',
    '',
    'CIDR blocks of private addresses that outgoing requests may reach, separated by commas (D31).',
    raw => addresses(raw),
  ),
}

type Declared = typeof declared
export type Config = { [K in keyof Declared]: ReturnType<Declared[K]['parse']> } & { dataDir: string }

/** For the reference: every variable with its default and what it is for. */
export const variables: readonly { name: string; default: string; description: string }[] =
  Object.values(declared)

/** A variable that does not hold; `message` is the one line to print. */
export class ConfigError extends Error {
  constructor(name: string, reason: string) {
    super(`${name}: ${reason}`)
    this.name = 'ConfigError'
  }
}

/** Reads every variable of D4; throws ConfigError with one line that names the first that does not hold. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  function read<T>(entry: Variable<T>): T {
    const raw = env[entry.name]?.trim()
    try {
      return entry.parse(raw === '' ? undefined : raw)
    } catch (error) {
      throw new ConfigError(entry.name, error instanceof Error ? error.message : String(error))
    }
  }
  const databaseUrl = read(declared.databaseUrl)
  return {
    baseUrl: read(declared.baseUrl),
    port: read(declared.port),
    host: read(declared.host),
    databaseUrl,
    natsUrl: read(declared.natsUrl),
    smtpUrl: read(declared.smtpUrl),
    mailFrom: read(declared.mailFrom),
    secretKey: read(declared.secretKey),
    trustProxy: read(declared.trustProxy),
    registration: read(declared.registration),
    userinfoScope: read(declared.userinfoScope),
    refreshGraceSeconds: read(declared.refreshGraceSeconds),
    confirmUnverifiedApps: read(declared.confirmUnverifiedApps),
    requireVerifiedEmail: read(declared.requireVerifiedEmail),
    rateLimits: read(declared.rateLimits),
    logLevel: read(declared.logLevel),
    metricsToken: read(declared.metricsToken),
    allowPrivateTargets: read(declared.allowPrivateTargets),
    dataDir: dataDirOf(databaseUrl),
  }
}

/** Keys and the outbox stand beside the SQLite file; `data/` where the database is elsewhere. */
function dataDirOf(databaseUrl: string): string {
  if (!databaseUrl.startsWith('sqlite:')) return 'data'
  const path = databaseUrl.slice('sqlite:'.length)
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '.' : slash === 0 ? '/' : path.slice(0, slash)
}

function parseUrl(raw: string, schemes: readonly string[]): URL {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  // The value itself is not repeated: it may hold a password.
  if (!url || !schemes.includes(url.protocol)) {
    throw new Error(
      `expected an address that begins with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
    )
  }
  return url
}

function integer(raw: string, min: number, max: number): number {
  const value = Number(raw)
  if (!/^\d+$/.test(raw) || value < min || value > max)
    throw new Error(`expected a whole number from ${min} to ${max}, not "${raw}"`)
  return value
}

function oneOf<const T extends string>(raw: string, values: readonly T[]): T {
  const value = values.find(candidate => candidate === raw)
  if (value === undefined) throw new Error(`expected ${values.join(', ')}, not "${raw}"`)
  return value
}

function onOff(raw: string): boolean {
  return oneOf(raw, ['on', 'off']) === 'on'
}

function addresses(raw: string | undefined): readonly string[] {
  const list = (raw ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  const wrong = list.find(part => !isAddressOrBlock(part))
  if (wrong !== undefined)
    throw new Error(`expected addresses or CIDR blocks separated by commas, not "${wrong}"`)
  return list
}

function isAddressOrBlock(text: string): boolean {
  const [address = '', bits] = text.split('/')
  const version = isIP(address)
  if (version === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
