import { isIP } from 'node:net'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { compose } from '../compose.ts'
import type { Config } from '../config.ts'
import { createProxyMatcher } from '../http/client-ip.ts'
import { createLogger } from '../http/log.ts'
import { systemClock } from '../kit/clock.ts'
import { createSealer, type Sealer } from '../kit/seal.ts'
import { loadSecretKey } from '../kit/secret-key.ts'
import { createDoctorToken, doctorHeader } from '../monitoring/index.ts'

// The checks of `gatehouse doctor` that need the service, and those of what is around it.

interface Result {
  part: string
  state: 'OK' | 'failed' | 'not checked'
  /** What is wrong and where, or why it was not checked. */
  detail?: string
}

const timeoutMs = 10_000
/** For documentation (RFC 5737), so that no proxy has it. */
const forgedAddress = '192.0.2.1'

/** Prints a line for each check. Resolves to the exit code: 1 if one failed. */
export async function checkAll(config: Config): Promise<number> {
  let isHealthy = true
  for await (const { part, state, detail } of runChecks(config)) {
    process.stdout.write(`${part.padEnd(15)}${state}${detail === undefined ? '' : `: ${detail}`}\n`)
    if (state === 'failed') isHealthy = false
  }
  return isHealthy ? 0 : 1
}

async function* runChecks(config: Config): AsyncGenerator<Result> {
  yield* checkService(config)
  const sealer = createSealer(await loadSecretKey(config.secretKey, config.dataDir))
  yield* checkProxy(config, sealer)
}

function result(part: string, problem: string | null | undefined, detail?: string): Result {
  if (problem) return { part, state: 'failed', detail: problem }
  return { part, state: 'OK', ...(detail === undefined ? {} : { detail }) }
}

async function* checkService(config: Config): AsyncGenerator<Result> {
  const service = await compose(config, createLogger('silent'), { isCommand: true })
  try {
    const { database, bus, mail, disk, lastBackupAt } = await service.parts.adminHealth.read()
    const server = `${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${database.serverVersion}`
    const size = `${Math.ceil(database.size / 1024 ** 2)} MiB`
    yield result('database', database.problem, `${server}, ${size}, migration ${database.lastMigration}`)
    yield result('bus', bus.problem)
    const keyProblem = await service.parts.openSigningKey().then(
      () => undefined,
      () => 'they are encrypted with another secret.key or SECRET_KEY',
    )
    yield result('signing keys', keyProblem)
    yield result('disk', disk.problem === null ? null : `${config.dataDir}: ${disk.problem}`)
    yield describeMail(config, mail.problem)
    yield result('last backup', null, lastBackupAt ?? 'none is recorded')
  } finally {
    await service.close()
  }
}

function describeMail({ smtpUrl, dataDir }: Config, problem: string | null): Result {
  if (smtpUrl === undefined)
    return result('mail', problem, `without SMTP_URL, mails are files in ${dataDir}/outbox`)
  const { protocol, host } = new URL(smtpUrl)
  return result('mail', problem === null ? null : `SMTP_URL, ${protocol}//${host}: ${problem}`)
}

interface Connection {
  remoteAddress: string
  forwardedFor: string | null
  clientAddress: string
}

/** Sends requests to the running service: directly, to learn whether it runs, and through BASE_URL. */
async function* checkProxy(config: Config, sealer: Sealer): AsyncGenerator<Result> {
  const host = ['0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host
  const local = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
  const direct = await readConnection(local, sealer)
  if (typeof direct === 'string') {
    yield { part: 'proxy', state: 'not checked', detail: `this service does not run at ${local}: ${direct}` }
    return
  }
  const connection = await readConnection(config.baseUrl, sealer)
  if (typeof connection === 'string') {
    yield result('proxy', `BASE_URL, ${config.baseUrl}: ${connection}`)
    return
  }
  yield result('proxy', findProxyProblem(connection, config))
  yield result('websocket', await findWebSocketProblem(config.baseUrl))
}

/** How a request arrives at the service, or why it does not. */
async function readConnection(origin: string, sealer: Sealer): Promise<Connection | string> {
  try {
    const reply = await fetch(`${origin}/healthz`, {
      headers: {
        [doctorHeader]: createDoctorToken(sealer, systemClock),
        'x-forwarded-for': forgedAddress,
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (reply.status >= 300 && reply.status < 400) {
      return `it redirects to ${reply.headers.get('location')?.split('?', 1)[0]}`
    }
    if (reply.status !== 200) return `the response is ${reply.status}`
    const body = (await reply.json()) as { connection?: Connection }
    return body.connection ?? 'a service with another secret.key or SECRET_KEY responds'
  } catch (error) {
    return describeNetworkError(error)
  }
}

/** `connection` is that of a request with `forgedAddress` in `X-Forwarded-For`. */
function findProxyProblem(
  { remoteAddress, forwardedFor, clientAddress }: Connection,
  { baseUrl, trustProxy }: Config,
): string | undefined {
  if (forwardedFor === null) {
    return `requests arrive from ${remoteAddress} without X-Forwarded-For, so all users have this address`
  }
  const isTrusted = createProxyMatcher(trustProxy)(remoteAddress)
  if (forwardedFor === forgedAddress) {
    // This service has no TLS itself, so with https there is a proxy.
    if (!isTrusted && baseUrl.startsWith('http:')) return undefined
    return `${remoteAddress} does not add the address of the client to X-Forwarded-For`
  }
  if (!isTrusted) {
    return `requests arrive from ${remoteAddress} with X-Forwarded-For, but TRUST_PROXY does not contain this address`
  }
  if (isIP(clientAddress) === 0)
    return `${remoteAddress} sends no IP address in X-Forwarded-For: ${forwardedFor}`
  return undefined
}

function findWebSocketProblem(baseUrl: string): Promise<string | undefined> {
  const url = `${baseUrl.replace(/^http/, 'ws')}${gatewayPath}`
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const socket = new WebSocket(url)
  const timer = setTimeout(() => resolve(`${url} does not open within ${timeoutMs / 1000} s`), timeoutMs)
  socket.onopen = () => resolve(undefined)
  socket.onerror = () => resolve(`${url} does not open: the proxy must forward Upgrade and Connection`)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}

/** `fetch` has the reason in `cause`. */
function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || (isSystemError(cause) ? cause.code : error.message)
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
