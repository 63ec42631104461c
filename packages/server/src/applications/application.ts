import type {
  Application,
  CreateApplicationBody,
  CreatedApplication,
  UpdateApplicationBody,
} from '@gatehouse/protocol/applications'
import { maxRedirectUris } from '@gatehouse/protocol/limits'
import type { User } from '@gatehouse/protocol/users'
import { AppError, type Fault, invalidAll, notFound } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import { hashSecret, makeSecret, secretPrefixes } from '../kit/secret.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Events } from '../platform/events.ts'
import type { Database, Sql, Transaction } from '../storage/database.ts'
import { readEndpointUrl, tryEndpoint } from './endpoint.ts'
import { serversOfApplication } from './installations/store.ts'
import { readLogoutUri } from './logout-uri.ts'
import { redirectUriFault } from './redirect-uri.ts'
import { keyContext, makeKeys, type RequestSigner } from './signature.ts'
import * as store from './store.ts'

export interface ApplicationDeps {
  db: Database
  clock: Clock
  ids: () => string
  sealer: Sealer
  events: Events
  outgoing: Pick<Outgoing, 'post' | 'mayReach'>
  /** D49: throws 403 `email_not_verified` where the service wants a confirmed address first. */
  requireVerified: (sql: Sql, userId: string) => Promise<void>
  findUser: (sql: Sql, id: string) => Promise<User | undefined>
  /** Path of an icon by its hash. */
  iconPath: (applicationId: string, hash: string) => string
  /** Keeps the picture and gives its hash; throws `validation_failed` where it is none. */
  saveIcon: (tx: Transaction, applicationId: string, bytes: Uint8Array) => Promise<string>
  /** Forgets the picture; nothing happens where there is none. */
  dropIcon: (tx: Transaction, applicationId: string) => Promise<void>
  /** Rule 4 of the specification: every token of the application dies with its secret, in the same transaction. */
  revokeTokens: (tx: Transaction, applicationId: string) => Promise<void>
  removeMember: (tx: Transaction, serverId: string, userId: string) => Promise<void>
  deleteBotUser: (tx: Transaction, userId: string) => Promise<void>
}

export interface ApplicationRules {
  create(ownerId: string, body: CreateApplicationBody): Promise<CreatedApplication>
  list(ownerId: string): Promise<Application[]>
  /** 404 for another's: two owners never see each other. */
  get(ownerId: string, id: string): Promise<Application>
  /** An interactions endpoint is tried first: 400 where it does not do what it must. */
  update(ownerId: string, id: string, body: UpdateApplicationBody): Promise<Application>
  setIcon(ownerId: string, id: string, bytes: Uint8Array): Promise<Application>
  /** The new secret, shown this once. */
  resetSecret(ownerId: string, id: string): Promise<string>
  delete(ownerId: string, id: string): Promise<void>
}

export function createApplicationRules(deps: ApplicationDeps & { sign: RequestSigner }): ApplicationRules {
  const { db, clock } = deps

  async function view(sql: Sql, application: store.ApplicationRecord): Promise<Application> {
    const bot = application.botUserId === null ? undefined : await deps.findUser(sql, application.botUserId)
    return {
      id: application.id,
      name: application.name,
      description: application.description,
      icon: application.iconHash === null ? null : deps.iconPath(application.id, application.iconHash),
      type: application.type,
      redirectUris: [...application.redirectUris],
      allowLoopbackPort: application.allowLoopbackPort,
      postLogoutRedirectUris: [...application.postLogoutRedirectUris],
      backchannelLogoutUri: application.backchannelLogoutUri,
      interactionsEndpointUrl: application.interactionsEndpointUrl,
      publicKey: application.publicKey,
      bot: bot ?? null,
      createdAt: new Date(application.createdAt).toISOString(),
    }
  }

  return {
    async create(ownerId, body) {
      const redirectUris = checkRedirectUris('redirectUris', body.redirectUris ?? [])
      const postLogoutRedirectUris = checkRedirectUris(
        'postLogoutRedirectUris',
        body.postLogoutRedirectUris ?? [],
      )
      const backchannelLogoutUri = readLogoutUri(deps.outgoing, body.backchannelLogoutUri ?? null)
      checkLoopback(body.type, body.allowLoopbackPort ?? false)
      const id = deps.ids()
      const secret = body.type === 'confidential' ? makeSecret(secretPrefixes.clientSecret) : undefined
      const keys = makeKeys()
      const application: store.ApplicationRecord = {
        id,
        ownerId,
        name: body.name,
        description: body.description ?? '',
        iconHash: null,
        type: body.type,
        secretHash: secret === undefined ? null : hashSecret(secret),
        redirectUris,
        allowLoopbackPort: body.allowLoopbackPort ?? false,
        postLogoutRedirectUris,
        backchannelLogoutUri,
        interactionsEndpointUrl: null,
        publicKey: keys.publicKey,
        privateKeySealed: deps.sealer.seal(keys.privateKey, keyContext(id)),
        botUserId: null,
        createdAt: clock(),
      }
      await db.transaction(async tx => {
        await deps.requireVerified(tx, ownerId)
        await store.insertApplication(tx, application)
      })
      const created = await view(db, application)
      return secret === undefined ? created : { ...created, clientSecret: secret }
    },

    async list(ownerId) {
      const applications = await store.listApplications(db, ownerId)
      return Promise.all(applications.map(application => view(db, application)))
    },

    get: async (ownerId, id) => view(db, await ownApplication(db, ownerId, id)),

    async update(ownerId, id, body) {
      const change = readChange(deps.outgoing, body)
      const { interactionsEndpointUrl: endpoint } = change
      if (typeof endpoint === 'string') {
        const application = await ownApplication(db, ownerId, id)
        checkLoopback(application.type, change.allowLoopbackPort ?? application.allowLoopbackPort)
        // Outside of the transaction: it takes as long as the other side likes, up to its deadlines.
        await tryEndpoint(deps, application, endpoint)
      }
      return db.transaction(async tx => {
        const after = { ...(await lockOwnApplication(tx, ownerId, id)), ...change }
        checkLoopback(after.type, after.allowLoopbackPort)
        await store.updateApplication(tx, id, after)
        return view(tx, after)
      })
    },

    async setIcon(ownerId, id, bytes) {
      return db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, id)
        const iconHash = await deps.saveIcon(tx, id, bytes)
        await store.setIcon(tx, id, iconHash)
        return view(tx, { ...application, iconHash })
      })
    },

    async resetSecret(ownerId, id) {
      const secret = makeSecret(secretPrefixes.clientSecret)
      await db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, id)
        if (application.type === 'public') throw notFound()
        await store.setSecret(tx, id, hashSecret(secret))
        await deps.revokeTokens(tx, id)
      })
      return secret
    },

    async delete(ownerId, id) {
      await db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, id)
        await deps.revokeTokens(tx, id)
        if (application.botUserId !== null) {
          for (const serverId of await serversOfApplication(tx, id)) {
            await deps.removeMember(tx, serverId, application.botUserId)
          }
        }
        await store.deleteApplication(tx, id)
        await deps.dropIcon(tx, id)
        if (application.botUserId !== null) await deps.deleteBotUser(tx, application.botUserId)
        tx.afterCommit(() => deps.events.ended(id, { reason: 'deleted' }))
      })
    },
  }
}

type Change = Partial<
  Pick<
    store.ApplicationRecord,
    | 'name'
    | 'description'
    | 'redirectUris'
    | 'allowLoopbackPort'
    | 'postLogoutRedirectUris'
    | 'backchannelLogoutUri'
    | 'interactionsEndpointUrl'
  >
>

/** What is to change; throws what is wrong with it by itself. */
function readChange(
  outgoing: Pick<Outgoing, 'mayReach'>,
  {
    redirectUris,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    interactionsEndpointUrl,
    ...rest
  }: UpdateApplicationBody,
): Change {
  return {
    ...rest,
    ...(redirectUris === undefined ? {} : { redirectUris: checkRedirectUris('redirectUris', redirectUris) }),
    ...(postLogoutRedirectUris === undefined
      ? {}
      : {
          postLogoutRedirectUris: checkRedirectUris('postLogoutRedirectUris', postLogoutRedirectUris),
        }),
    ...(backchannelLogoutUri === undefined
      ? {}
      : { backchannelLogoutUri: readLogoutUri(outgoing, backchannelLogoutUri) }),
    ...(interactionsEndpointUrl === undefined
      ? {}
      : { interactionsEndpointUrl: readEndpointUrl(interactionsEndpointUrl) }),
  }
}

/** 404 where it does not exist or is another's. */
export async function ownApplication(
  sql: Sql,
  ownerId: string,
  id: string,
): Promise<store.ApplicationRecord> {
  return ofOwner(ownerId, await store.findApplication(sql, id))
}

/** The same, and until the transaction ends nobody else changes it. */
export async function lockOwnApplication(
  tx: Transaction,
  ownerId: string,
  id: string,
): Promise<store.ApplicationRecord> {
  return ofOwner(ownerId, await store.lockApplication(tx, id))
}

function ofOwner(ownerId: string, application: store.ApplicationRecord | undefined): store.ApplicationRecord {
  if (!application || application.ownerId !== ownerId) throw notFound()
  return application
}

/** Both lists of addresses to return to have the same rules and the same limit (D10). */
function checkRedirectUris(
  member: 'redirectUris' | 'postLogoutRedirectUris',
  uris: readonly string[],
): string[] {
  if (uris.length > maxRedirectUris) {
    throw new AppError('redirect_uri_limit', `An application has at most ${maxRedirectUris} ${member}.`)
  }
  const faults = uris.flatMap((uri, index): Fault[] => {
    const path = `${member}[${index}]`
    const message = redirectUriFault(uri)
    if (message !== undefined) return [{ path, code: 'invalid_url', message }]
    return uris.indexOf(uri) < index ? [{ path, code: 'duplicate', message: 'stands there already' }] : []
  })
  if (faults.length > 0) throw invalidAll(faults)
  return [...uris]
}

/** D10: `allowLoopbackPort` is for public applications. */
function checkLoopback(type: 'confidential' | 'public', allow: boolean): void {
  if (allow && type === 'confidential') {
    throw invalidAll([
      { path: 'allowLoopbackPort', code: 'invalid', message: 'is for public applications only (D10)' },
    ])
  }
}
