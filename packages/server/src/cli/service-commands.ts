import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxListLimit } from '@gatehouse/protocol/limits'
import { createUserByOperator, resetPasswordByOperator } from '../accounts/users/index.ts'
import { replaceUnreadableKeys } from '../applications/index.ts'
import { compose, type Overrides, type Service } from '../compose.ts'
import { type Config, readDemoConfig } from '../config.ts'
import { describeListenError } from '../http/listen-errors.ts'
import { createLogger } from '../http/log.ts'
import { limitHeapGrowth, setYoungGenerationGrowth } from '../kit/memory.ts'
import {
  keysMaxAge,
  listSigningKeyStates,
  replaceUnreadableSigningKeys,
  rotateSigningKeys,
  type SigningKeyState,
  withdrawSigningKey,
} from '../oauth/index.ts'
import { replaceSecretKeyCheck } from '../storage/secret-key-check.ts'

// The commands that need the service. `command-table.ts` imports this file only for them, because loading the service
// takes most of the time of a start.

/**
 * Runs until SIGTERM or SIGINT, then completes the requests in flight and exits within ten seconds. `startMore` is
 * called when the service listens. It gets a function that ends the service, and resolves to a function that stops what
 * it started.
 */
export async function serve(
  config: Config,
  startMore?: (exit: (code: number) => void) => Promise<() => Promise<unknown>>,
): Promise<number> {
  const logger = createLogger(config.logLevel)
  const { promise: exitCode, resolve: exit } = Promise.withResolvers<number>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => exit(0))
  const service = await compose(config, logger, { fatal: () => exit(1) })
  let stopMore: (() => Promise<unknown>) | undefined
  try {
    await service.listen().catch((error: unknown) => {
      throw describeListenError(error, config)
    })
    setYoungGenerationGrowth(true)
    limitHeapGrowth()
    stopMore = await startMore?.(exit)
  } catch (error) {
    await service.close()
    throw error
  }
  logger.info({ url: config.baseUrl, host: config.host, port: config.port }, 'ready')
  const code = await exitCode
  logger.info('stopping')
  const deadline = setTimeout(() => process.exit(1), 10_000)
  await stopMore?.()
  await service.close()
  clearTimeout(deadline)
  return code
}

/** The service with demo data in a temporary folder. */
export async function demo(): Promise<number> {
  const { startDemo } = await import('./demo/demo.ts')
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'))
  try {
    const config = readDemoConfig(folder)
    return await serve(config, exit => startDemo(config.baseUrl, exit))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Composes the service without listening, so that commands use the same operations and events as requests, and other
 * nodes receive them.
 */
async function withService<T>(
  config: Config,
  command: (parts: Service['parts']) => Promise<T>,
  overrides?: Pick<Overrides, 'acceptSecretKey'>,
): Promise<T> {
  const service = await compose(config, createLogger('warn'), { isCommand: true, ...overrides })
  try {
    return await command(service.parts)
  } finally {
    await service.close()
  }
}

// Each of these resolves to the text that is printed.

export function listKeys(config: Config): Promise<string> {
  return withService(config, async parts => {
    const keys = await listSigningKeyStates(parts)
    return keys.length === 0 ? 'There is no signing key yet.' : keys.map(describeKey).join('\n')
  })
}

function describeKey({ kid, state, activeFrom, publishedUntil, storedUntil }: SigningKeyState): string {
  const from = new Date(activeFrom).toISOString()
  if (state === 'current') return `${kid}  signs since ${from}`
  if (state === 'next') return `${kid}  will sign from ${from}`
  if (state === 'previous') return `${kid}  verifies until ${new Date(publishedUntil).toISOString()}`
  return `${kid}  verifies only id_token_hint, until ${new Date(storedUntil).toISOString()}`
}

export function rotateKeys(config: Config, options: { now: boolean }): Promise<string> {
  return withService(config, async parts => {
    const { kid, activeFrom } = await rotateSigningKeys(parts, options)
    return `The key ${kid} is published. It signs from ${new Date(activeFrom).toISOString()}.`
  })
}

export function withdrawKey(config: Config, kid: string): Promise<string> {
  return withService(config, async parts => {
    const { successor } = await withdrawSigningKey(parts, kid)
    const next = successor === undefined ? '' : ` The new key ${successor} signs now.`
    return (
      `The key ${kid} is withdrawn.${next} ` +
      `Applications that cache the keys accept its tokens for up to ${keysMaxAge / 60} minutes.`
    )
  })
}

/** After the previous key was lost. */
export function replaceSecretKey(config: Config): Promise<string> {
  const replace = async (parts: Service['parts']) => {
    const applications = await replaceUnreadableKeys(parts)
    await replaceUnreadableSigningKeys(parts)
    await replaceSecretKeyCheck(parts.db, parts.sealer)
    const have = applications === 1 ? 'application has' : 'applications have'
    return (
      `The database belongs to this secret key now. ${applications} ${have} a new public key for requests to the ` +
      'interactions endpoint. Authenticator apps and recovery codes do not work any more: ' +
      '"user reset-second-factor" deletes them.'
    )
  }
  return withService(config, replace, { acceptSecretKey: true })
}

export function createUser(
  config: Config,
  options: Parameters<typeof createUserByOperator>[1],
): Promise<string> {
  return withService(config, async parts => {
    const user = await createUserByOperator(parts, options)
    await parts.administratorCode.withdraw()
    return `Created the user ${user.username} with the id ${user.id}.`
  })
}

export function resetPassword(config: Config, options: { login: string; password: string }): Promise<string> {
  return withService(config, async parts => {
    const user = await resetPasswordByOperator(parts, options)
    return `Set the password of ${user.username}. All of their sessions and tokens are revoked.`
  })
}

const userActs = {
  promote: { changes: { administrator: true }, done: 'is an administrator' },
  demote: { changes: { administrator: false }, done: 'is no administrator' },
  disable: {
    changes: { disabled: true },
    done: 'is disabled, with their bots and applications. Webhooks and messages stay',
  },
  enable: { changes: { disabled: false }, done: 'is enabled' },
  'confirm-email': { changes: { emailVerified: true }, done: 'has a confirmed email address' },
} as const

export type UserAct = keyof typeof userActs

export function changeUser(config: Config, act: UserAct, login: string): Promise<string> {
  const { changes, done } = userActs[act]
  return withService(config, async parts => {
    const { username } = await parts.adminUsers.updateByOperator(login, changes)
    return `${username} ${done}.`
  })
}

export function changeSettings(config: Config, changes: Readonly<Record<string, string>>): Promise<string> {
  return withService(config, async ({ adminSettings }) => {
    if (Object.keys(changes).length > 0) await adminSettings.updateByOperator(changes)
    const { registration, serverCreation, name } = await adminSettings.read()
    return `registration     ${registration}\nserver creation  ${serverCreation}\nname             ${name}`
  })
}

type OwnedKind = 'server' | 'application'

export async function administerOwned(
  config: Config,
  kind: OwnedKind,
  act: string,
  { id, owner = '' }: { id: string; owner?: string | undefined },
): Promise<string> {
  return withService(config, async ({ adminServers, adminApplications }) => {
    const owned = kind === 'server' ? adminServers : adminApplications
    if (act === 'delete') await owned.deleteByOperator(id)
    else await owned.updateByOperator(id, act === 'transfer' ? { owner } : { disabled: act === 'disable' })
    return `${act}: done`
  })
}

/** The newest ones that match. */
export function listOwned(config: Config, kind: OwnedKind, query = ''): Promise<string> {
  return withService(config, async ({ adminServers, adminApplications }) => {
    const list = kind === 'server' ? adminServers.list : adminApplications.list
    const found = await list({ query, limit: maxListLimit })
    const lines = found.map(({ id, name, owner, disabledAt }) =>
      [id, owner.username, ...(disabledAt === null ? [] : ['disabled']), name].join('  '),
    )
    return lines.length === 0 ? `There is no such ${kind}.` : lines.join('\n')
  })
}

export function endSessions(config: Config, login: string): Promise<string> {
  return withService(config, async parts => {
    const { username } = await parts.adminUsers.endSessionsByOperator(login)
    return `${username} is signed out everywhere. The tokens of applications remain.`
  })
}

export function resetSecondFactor(config: Config, login: string): Promise<string> {
  return withService(config, async parts => {
    const { username } = await parts.adminUsers.resetSecondFactorByOperator(login)
    return `Deleted the second factors of ${username}. Until they add one, they sign in with only the password.`
  })
}
