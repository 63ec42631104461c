import { isIP } from 'node:net'
import { registrationModes } from '@gatehouse/protocol/administration'
import { type Rate, type RateName, rates } from '@gatehouse/protocol/limits'
import { exactRates, maxExactSeconds, type RateLimits } from './rate-limits/rate-limiter.ts'
import { parseDatabaseUrl, parsePostgresUrl } from './storage/database-url.ts'

// The only file that reads the environment (community/operation).

interface Variable<T> {
  name: string
  /** For docs/reference.md; '' if there is none. */
  default: string
  description: string
  /** `raw` is undefined if the variable is not set or empty. Throws an Error that says what is expected. */
  parse(raw: string | undefined): T
}

function withDefault<T>(
  name: string,
  fallback: string,
  description: string,
  parse: (raw: string) => T,
): Variable<T> {
  return { name, default: fallback, description, parse: raw => parse(raw ?? fallback) }
}

/** The value is undefined if the variable is not set. */
function optional<T>(
  name: string,
  description: string,
  parse: (raw: string) => T,
  effect = '',
): Variable<T | undefined> {
  const parseIfSet = (raw: string | undefined) => (raw === undefined ? undefined : parse(raw))
  return { name, default: effect, description, parse: parseIfSet }
}

const declared = {
  baseUrl: withDefault(
    'BASE_URL',
    'http://localhost:3000',
    'The public URL of the service. It is never taken from a request.',
    raw => {
      const url = parseUrl(raw, ['http:', 'https:'])
      if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
        throw new Error('expected a URL with only a scheme, host and port, such as https://chat.example.org')
      }
      return url.origin
    },
  ),
  port: withDefault('PORT', '3000', 'The port to listen on.', raw => parseInteger(raw, 0, 65_535)),
  host: withDefault('HOST', '127.0.0.1', 'The host name or IP address to listen on.', raw => raw),
  databaseUrl: withDefault(
    'DATABASE_URL',
    'sqlite:data/gatehouse.db',
    '`sqlite:PATH` or `postgres://…`.',
    raw => {
      const target = parseDatabaseUrl(raw)
      if (target.engine === 'postgres') parsePostgresUrl(target.url)
      return raw
    },
  ),
  natsUrl: optional(
    'NATS_URL',
    'The NATS servers between the nodes, `nats://…`, separated by commas. Without it the ' +
      'service must be a single process.',
    raw => {
      for (const server of raw.split(',')) parseUrl(server.trim(), ['nats:', 'tls:'])
      return raw
    },
  ),
  smtpUrl: optional(
    'SMTP_URL',
    'The SMTP server for outgoing email, `smtp://…`. Without it emails are written to `data/outbox/`.',
    raw => parseUrl(raw, ['smtp:', 'smtps:']).href,
  ),
  mailFrom: withDefault('MAIL_FROM', 'Gatehouse <gatehouse@localhost>', 'The sender of emails.', raw => raw),
  secretKey: optional(
    'SECRET_KEY',
    '32 bytes in base64: the key that encrypts secrets in the database.',
    raw => {
      const key = Buffer.from(raw, 'base64')
      if (key.length !== 32) throw new Error('expected 32 bytes in base64 (openssl rand -base64 32)')
      return new Uint8Array(key)
    },
    'generated at the first start in `data/secret.key`',
  ),
  trustProxy: withDefault(
    'TRUST_PROXY',
    '',
    'IP addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted, separated by commas.',
    parseIpList,
  ),
  registration: withDefault(
    'REGISTRATION',
    'open',
    'Who can register an account: everyone (`open`), only with an invite (`invite`), nobody (`closed`). ' +
      'Applies until an administrator sets it.',
    raw => parseChoice(raw, registrationModes),
  ),
  userinfoScope: withDefault(
    'USERINFO_SCOPE',
    'identify',
    'The scope that the userinfo endpoint requires: `identify` or `openid`.',
    raw => parseChoice(raw, ['identify', 'openid']),
  ),
  refreshGraceSeconds: withDefault(
    'REFRESH_GRACE_SECONDS',
    '0',
    'The number of seconds during which a used refresh token still returns the same new refresh token.',
    raw => parseInteger(raw, 0, 3600),
  ),
  confirmUnverifiedApps: withDefault(
    'CONFIRM_UNVERIFIED_APPS',
    'off',
    '`on` asks for consent every time for public clients whose redirect URI is not https.',
    parseOnOff,
  ),
  requireVerifiedEmail: withDefault(
    'REQUIRE_VERIFIED_EMAIL',
    'off',
    '`on` requires a verified email address to create servers, applications, bots, webhooks and messages.',
    parseOnOff,
  ),
  rateLimits: withDefault(
    'RATE_LIMITS',
    'on',
    '`off` disables all rate limits, for load tests. `name=count/seconds` changes one; ' +
      'separate several with commas: `messages=120/60,servers=20/3600`. With NATS the periods ' +
      'of wrong passwords, wrong codes, and posts and edits of webhooks are at most 900 s. ' +
      '[Names and defaults](spec/limits.md#rates).',
    parseRateLimits,
  ),
  logLevel: withDefault(
    'LOG_LEVEL',
    'info',
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    raw => parseChoice(raw, ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  ),
  metricsToken: optional(
    'METRICS_TOKEN',
    'The bearer token for `/metrics`. Without it only requests from loopback can read the metrics.',
    raw => raw,
  ),
  mediaCacheDir: optional(
    'MEDIA_CACHE_DIR',
    'The folder for the pictures of other hosts, of one node. The service deletes what it stored there when it starts.',
    raw => raw,
    '`media-cache` beside the database; `data/media-cache` with PostgreSQL',
  ),
  mediaCacheMebibytes: withDefault(
    'MEDIA_CACHE_MEBIBYTES',
    '512',
    'The largest size of these pictures together, in MiB.',
    raw => parseInteger(raw, 1, 1_048_576),
  ),
  allowPrivateTargets: withDefault(
    'ALLOW_PRIVATE_TARGETS',
    '',
    'IP addresses or CIDR blocks of private networks that outgoing requests can reach, separated by commas.',
    parseIpList,
  ),
}

type Declared = typeof declared
export type Config = { [K in keyof Declared]: ReturnType<Declared[K]['parse']> } & { dataDir: string }

/** For docs/reference.md. */
export const variables: readonly { name: string; default: string; description: string }[] =
  Object.values(declared)

/** An invalid variable. `message` is one line, which the command line prints. */
export class ConfigError extends Error {
  constructor(name: string, reason: string) {
    super(`${name}: ${reason}`)
    this.name = 'ConfigError'
  }
}

/** Reads all variables. Throws ConfigError for the first invalid one (community/operation). */
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
  const natsUrl = read(declared.natsUrl)
  const rateLimits = read(declared.rateLimits)
  if (natsUrl !== undefined) checkExactRates(rateLimits)
  return {
    baseUrl: read(declared.baseUrl),
    port: read(declared.port),
    host: read(declared.host),
    databaseUrl,
    natsUrl,
    smtpUrl: read(declared.smtpUrl),
    mailFrom: read(declared.mailFrom),
    secretKey: read(declared.secretKey),
    trustProxy: read(declared.trustProxy),
    registration: read(declared.registration),
    userinfoScope: read(declared.userinfoScope),
    refreshGraceSeconds: read(declared.refreshGraceSeconds),
    confirmUnverifiedApps: read(declared.confirmUnverifiedApps),
    requireVerifiedEmail: read(declared.requireVerifiedEmail),
    rateLimits,
    logLevel: read(declared.logLevel),
    metricsToken: read(declared.metricsToken),
    mediaCacheDir: read(declared.mediaCacheDir),
    mediaCacheMebibytes: read(declared.mediaCacheMebibytes),
    allowPrivateTargets: read(declared.allowPrivateTargets),
    dataDir: findDataDir(databaseUrl),
  }
}

/** For the demo, which takes only PORT and LOG_LEVEL from the environment and has all its data in `folder`. */
export function readDemoConfig(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const PORT = env.PORT || '3000'
  return readConfig({
    PORT,
    LOG_LEVEL: env.LOG_LEVEL || 'warn',
    BASE_URL: `http://localhost:${PORT}`,
    DATABASE_URL: `sqlite:${folder}/gatehouse.db`,
  })
}

/** The folder of the SQLite file, which also contains the secret key and the outbox; `data/` with PostgreSQL. */
export function findDataDir(databaseUrl: string): string {
  if (!databaseUrl.startsWith('sqlite:')) return 'data'
  const path = databaseUrl.slice('sqlite:'.length)
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '.' : slash === 0 ? '/' : path.slice(0, slash)
}

function parseUrl(raw: string, schemes: readonly string[]): URL {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  // The message does not contain the value, because a URL can contain a password.
  if (!url || !schemes.includes(url.protocol)) {
    throw new Error(`expected a URL that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`)
  }
  return url
}

function parseInteger(raw: string, min: number, max: number): number {
  const value = Number(raw)
  if (!/^\d+$/.test(raw) || value < min || value > max) {
    throw new Error(`expected an integer from ${min} to ${max}, not "${raw}"`)
  }
  return value
}

function parseChoice<const T extends string>(raw: string, values: readonly T[]): T {
  const value = values.find(candidate => candidate === raw)
  if (value === undefined) throw new Error(`expected one of ${values.join(', ')}, not "${raw}"`)
  return value
}

function parseRateLimits(raw: string): RateLimits {
  if (raw === 'off') return 'off'
  if (raw === 'on') return {}
  return Object.fromEntries(raw.split(',').map(parseRateLimit))
}

function parseRateLimit(entry: string): [RateName, Rate] {
  const [, name = '', count, seconds] = /^\s*([A-Za-z]+)=(\d{1,7})\/(\d{1,5})\s*$/.exec(entry) ?? []
  const rate = { count: Number(count), seconds: Number(seconds) }
  if (!isRateName(name) || !(rate.count >= 1 && rate.seconds >= 1)) {
    throw new Error(`expected on, off or name=count/seconds, not "${entry.trim()}"`)
  }
  return [name, rate]
}

function checkExactRates(limits: RateLimits): void {
  if (limits === 'off') return
  const tooLong = exactRates.find(name => (limits[name]?.seconds ?? 0) > maxExactSeconds)
  if (tooLong === undefined) return
  throw new ConfigError(
    'RATE_LIMITS',
    `with NATS_URL the period of ${tooLong} is at most ${maxExactSeconds} s`,
  )
}

function isRateName(name: string): name is RateName {
  return Object.hasOwn(rates, name)
}

function parseOnOff(raw: string): boolean {
  return parseChoice(raw, ['on', 'off']) === 'on'
}

function parseIpList(raw: string): readonly string[] {
  const list = raw
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  const invalid = list.find(part => !isIpOrCidr(part))
  if (invalid !== undefined) {
    throw new Error(`expected IP addresses or CIDR blocks separated by commas, not "${invalid}"`)
  }
  return list
}

function isIpOrCidr(text: string): boolean {
  const [address = '', bits] = text.split('/')
  const version = isIP(address)
  if (version === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
