import { isDeepStrictEqual } from 'node:util'
import {
  type Application,
  type CreateApplicationBody,
  type CreatedApplication,
  settingScopes,
  type UpdateApplicationBody,
} from '@gatehouse/protocol/applications'
import { tooLong, urlViolation } from '@gatehouse/protocol/field-errors'
import { privilegedIntents } from '@gatehouse/protocol/intents'
import { maxApplications, maxRedirectUriLength, maxRedirectUris } from '@gatehouse/protocol/limits'
import { findUser, lockUserRow, userView } from '../accounts/users/index.ts'
import { AppError, type FieldError, invalid, invalidAll, notFound } from '../errors/app-error.ts'
import { limitReached } from '../i18n/localized-error.ts'
import { deleteImage, encodeImage, imagePath, saveImage } from '../images/index.ts'
import { inBatches } from '../kit/batches.ts'
import { createSecret, hashSecret, secretPrefixes } from '../kit/secret.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { type DeleteRows, sweepDeleted } from '../storage/deletion-registry.ts'
import type { Deps } from './application-deps.ts'
import * as store from './application-store.ts'
import { parseEndpointUrl, parseLogoutUri } from './application-urls.ts'
import { listNotRegistered } from './command-store.ts'
import { verifyEndpoint } from './interactions-endpoint.ts'
import { findRedirectUriError, toUri } from './redirect-uri-rules.ts'
import { generateSigningKeys, type RequestSigner, signingKeyContext } from './request-signature.ts'
import { readServerBinding, toServerBinding } from './server-binding.ts'

export type Applications = ReturnType<typeof createApplications>

/** Every operation on an application of another owner throws 404. */
export function createApplications(deps: Deps, sign: RequestSigner) {
  const { db, clock, outgoing, domainEvents } = deps
  const endpointChecks = deps.rateLimiter.window('endpointChecks')

  /** Removes the bot from servers. One transaction for each, because other features delete rows of the bot in it. */
  const removeBot: DeleteRows = async (sql, applicationId, limit) => {
    const servers = await store.listServersOfBot(sql, applicationId, limit)
    for (const { serverId, botId } of servers) {
      await db.transaction(tx => deps.members.deleteMember(tx, serverId, botId))
    }
    return servers.length
  }

  async function deleteLocked(tx: Transaction, { id, botUserId }: store.ApplicationRecord): Promise<void> {
    await domainEvents.publish(tx, 'SecretReset', { applicationId: id })
    await store.markDeleted(tx, id, clock())
    await deleteImage(tx, 'applications', id)
    if (botUserId !== null) await deps.users.deleteBotUser(tx, botUserId)
    tx.afterCommit(() => deps.events.closeGatewayConnections(id, { reason: 'deleted' }))
  }

  const removeBots = (id: string) => inBatches(limit => removeBot(db, id, limit))

  return {
    /**
     * Throws 403 `email_not_verified` if the service requires a verified email address (community/unverified-email),
     * and 409 `limit_reached` if the user has 25 applications (limits/caps).
     */
    async create(ownerId: string, body: CreateApplicationBody): Promise<CreatedApplication> {
      const redirectUris = parseRedirectUris('redirectUris', body.redirectUris ?? [])
      const postLogoutRedirectUris = parseRedirectUris(
        'postLogoutRedirectUris',
        body.postLogoutRedirectUris ?? [],
      )
      const backchannelLogoutUri = parseLogoutUri(outgoing, body.backchannelLogoutUri ?? null)
      checkLoopbackPort(body.type, body.allowLoopbackPort ?? false)
      const id = deps.ids()
      const clientSecret =
        body.type === 'confidential' ? createSecret(secretPrefixes.clientSecret) : undefined
      const keys = generateSigningKeys()
      const application: store.ApplicationRecord = {
        id,
        ownerId,
        name: body.name,
        description: body.description ?? '',
        iconHash: null,
        type: body.type,
        secretHash: clientSecret === undefined ? null : hashSecret(clientSecret),
        redirectUris,
        allowLoopbackPort: body.allowLoopbackPort ?? false,
        postLogoutRedirectUris,
        backchannelLogoutUri,
        interactionsEndpointUrl: null,
        interactionsEndpointFormat: 'native',
        privilegedIntents: [],
        publicKey: keys.publicKey,
        privateKeySealed: deps.sealer.seal(keys.privateKey, signingKeyContext(id)),
        botUserId: null,
        publicBot: body.public ?? false,
        server: null,
        emailRequired: false,
        emailVerifiedOnly: deps.sendsMail,
        defaultScopes: [],
        addedScopes: [],
        refreshGrace: false,
        createdAt: clock(),
      }
      await db.transaction(async tx => {
        await deps.requireVerified(tx, ownerId)
        await lockUserRow(tx, ownerId)
        const count = await store.countApplications(tx, ownerId)
        if (count >= maxApplications) throw limitReached('applications')
        await store.insertApplication(tx, application)
      })
      const created = await toPublicApplication(db, application)
      return clientSecret === undefined ? created : { ...created, clientSecret }
    },

    async list(ownerId: string): Promise<Application[]> {
      const applications = await store.listApplications(db, ownerId)
      return Promise.all(applications.map(application => toPublicApplication(db, application)))
    },

    async get(ownerId: string, id: string): Promise<Application> {
      return toPublicApplication(db, await ownApplication(db, ownerId, id))
    },

    /**
     * Changes the given fields. A new interactions endpoint is verified first. Closes connections that use a privileged
     * intent that is switched off (gateway/privileged-intents). Throws `rate_limited`.
     */
    async update(ownerId: string, id: string, body: UpdateApplicationBody): Promise<Application> {
      const changes = parseChanges(outgoing, body)
      if (typeof changes.interactionsEndpointUrl === 'string' || changes.interactionsEndpointFormat) {
        const application = { ...(await ownApplication(db, ownerId, id)), ...changes }
        checkLoopbackPort(application.type, application.allowLoopbackPort)
        if (application.interactionsEndpointUrl !== null) {
          await endpointChecks.check(ownerId)
          // Outside the transaction, because the endpoint may take seconds to respond.
          await verifyEndpoint({ outgoing, sign }, application, application.interactionsEndpointUrl)
        }
      }
      return db.transaction(async tx => {
        const before = await lockOwnApplication(tx, ownerId, id)
        const { server } = body
        const binding = server && (await readServerBinding(tx, clock(), ownerId, server))
        const updated = { ...before, ...changes, server: binding === undefined ? before.server : binding }
        const { privilegedIntents } = updated
        checkLoopbackPort(updated.type, updated.allowLoopbackPort)
        await store.updateApplication(tx, id, updated)
        if (!isDeepStrictEqual(admissionOf(before), admissionOf(updated))) {
          await domainEvents.publish(tx, 'AdmissionChanged', { applicationId: id })
        }
        if (changes.privilegedIntents !== undefined) {
          tx.afterCommit(() => deps.events.changePrivilegedIntents(id, { privilegedIntents }))
        }
        return toPublicApplication(tx, updated)
      })
    },

    /** Throws as `encodeImage` and `saveImage`. */
    async setIcon(ownerId: string, id: string, bytes: Uint8Array): Promise<Application> {
      await ownApplication(db, ownerId, id)
      const image = await encodeImage(clock, ownerId, bytes)
      return db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, id)
        const icon = { kind: 'applications', ownerId: id, uploaderId: ownerId, image } as const
        const iconHash = await saveImage(tx, icon)
        await store.setIcon(tx, id, iconHash)
        return toPublicApplication(tx, { ...application, iconHash })
      })
    },

    /** Returns the new client secret and revokes all tokens of the application. Throws 404 for a public application. */
    async resetSecret(ownerId: string, id: string): Promise<string> {
      const clientSecret = createSecret(secretPrefixes.clientSecret)
      if ((await ownApplication(db, ownerId, id)).type === 'public') throw notFound()
      await db.transaction(async tx => {
        await lockOwnApplication(tx, ownerId, id)
        await store.setSecret(tx, id, hashSecret(clientSecret))
        await domainEvents.publish(tx, 'SecretReset', { applicationId: id })
      })
      return clientSecret
    },

    /** Its tokens, bot and commands are invalid at once, and the sweep deletes the rows (limits/deletion). */
    async delete(ownerId: string, id: string): Promise<void> {
      await db.transaction(async tx => deleteLocked(tx, await lockOwnApplication(tx, ownerId, id)))
      await removeBots(id)
    },

    // What administrators of the instance do. They do not check who they are.

    /** Throws 404 if there is none. Locks the row. */
    async requireAny(tx: Transaction, id: string): Promise<store.ApplicationRecord> {
      const application = await store.lockApplication(tx, id)
      if (application === undefined) throw notFound()
      return application
    },

    /**
     * From now on no credential of the application is valid. Nothing is deleted (administration/disable-application).
     * Returns false if nothing changed.
     */
    async setDisabled(tx: Transaction, id: string, disabled: boolean): Promise<boolean> {
      if (!(await store.setDisabled(tx, id, disabled ? clock() : null))) return false
      if (disabled) tx.afterCommit(() => deps.events.closeGatewayConnections(id, { reason: 'disabled' }))
      return true
    },

    /**
     * The person, whose row the caller has locked, becomes the owner. Nothing else changes: secret, tokens and bot stay
     * valid. The limit of applications of an owner does not apply. Returns false if they own it.
     */
    async transfer(tx: Transaction, application: store.ApplicationRecord, ownerId: string): Promise<boolean> {
      if (application.ownerId === ownerId) return false
      await store.setOwner(tx, application.id, ownerId)
      return true
    },

    deleteLocked,
    /** After the commit of `deleteLocked`. */
    removeBots,

    /** Deletes the rows of deleted applications in batches (limits/deletion). */
    sweep(batchSize?: number): Promise<void> {
      return sweepDeleted(
        db,
        store.deletedApplications(removeBot, deps.deletions.of('application')),
        batchSize,
      )
    },
  }
}

/** The settings that decide who may sign in (sign-in/members-only). */
function admissionOf({ server }: store.ApplicationRecord): unknown {
  return server && [server.id, server.membersOnly, server.requiredRoles.toSorted()]
}

async function toPublicApplication(sql: Sql, application: store.ApplicationRecord): Promise<Application> {
  const { id, iconHash, botUserId } = application
  const bot = botUserId === null ? undefined : await findUser(sql, botUserId)
  return {
    id,
    name: application.name,
    description: application.description,
    icon: toIconPath(id, iconHash),
    type: application.type,
    redirectUris: [...application.redirectUris],
    allowLoopbackPort: application.allowLoopbackPort,
    postLogoutRedirectUris: [...application.postLogoutRedirectUris],
    backchannelLogoutUri: application.backchannelLogoutUri,
    interactionsEndpointUrl: application.interactionsEndpointUrl,
    interactionsEndpointFormat: application.interactionsEndpointFormat,
    privilegedIntents: [...application.privilegedIntents],
    publicKey: application.publicKey,
    server: await toServerBinding(sql, application),
    emailRequired: application.emailRequired,
    emailVerifiedOnly: application.emailVerifiedOnly,
    defaultScopes: [...application.defaultScopes],
    addedScopes: [...application.addedScopes],
    refreshGrace: application.refreshGrace,
    public: application.publicBot,
    bot: bot ? userView(bot) : null,
    notRegistered: bot ? await listNotRegistered(sql, id) : [],
    createdAt: new Date(application.createdAt).toISOString(),
  }
}

export function toIconPath(applicationId: string, iconHash: string | null): string | null {
  return iconHash === null ? null : imagePath('applications', applicationId, iconHash)
}

/** Throws 404 unless the user owns the application. */
export async function ownApplication(
  sql: Sql,
  ownerId: string,
  id: string,
): Promise<store.ApplicationRecord> {
  return requireOwner(ownerId, await store.findApplication(sql, id))
}

/** The same, and locks the row until the transaction ends. */
export async function lockOwnApplication(
  tx: Transaction,
  ownerId: string,
  id: string,
): Promise<store.ApplicationRecord> {
  return requireOwner(ownerId, await store.lockApplication(tx, id))
}

function requireOwner(
  ownerId: string,
  application: store.ApplicationRecord | undefined,
): store.ApplicationRecord {
  if (!application || application.ownerId !== ownerId) throw notFound()
  return application
}

function parseChanges(
  outgoing: Deps['outgoing'],
  body: UpdateApplicationBody,
): Partial<store.ApplicationChanges> {
  const {
    redirectUris,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    interactionsEndpointUrl,
    privilegedIntents: intents,
    defaultScopes,
    addedScopes,
    public: publicBot,
    // `update` reads it in its transaction.
    server: _server,
    ...rest
  } = body
  const changes: Partial<store.ApplicationChanges> = rest
  if (publicBot !== undefined) changes.publicBot = publicBot
  // Each once, in one order.
  if (intents !== undefined)
    changes.privilegedIntents = privilegedIntents.filter(name => intents.includes(name))
  if (defaultScopes !== undefined)
    changes.defaultScopes = settingScopes.filter(scope => defaultScopes.includes(scope))
  if (addedScopes !== undefined)
    changes.addedScopes = settingScopes.filter(scope => addedScopes.includes(scope))
  if (redirectUris !== undefined) changes.redirectUris = parseRedirectUris('redirectUris', redirectUris)
  if (postLogoutRedirectUris !== undefined) {
    changes.postLogoutRedirectUris = parseRedirectUris('postLogoutRedirectUris', postLogoutRedirectUris)
  }
  if (backchannelLogoutUri !== undefined) {
    changes.backchannelLogoutUri = parseLogoutUri(outgoing, backchannelLogoutUri)
  }
  if (interactionsEndpointUrl !== undefined) {
    changes.interactionsEndpointUrl = parseEndpointUrl(interactionsEndpointUrl)
  }
  return changes
}

/**
 * Redirect URIs and post-logout redirect URIs have the same rules and the same limit
 * (sign-in/redirect-uri-registration).
 */
function parseRedirectUris(
  field: 'redirectUris' | 'postLogoutRedirectUris',
  texts: readonly string[],
): string[] {
  const uris = texts.map(toUri)
  if (uris.length > maxRedirectUris) {
    throw new AppError('redirect_uri_limit', `An application has at most ${maxRedirectUris} ${field}.`)
  }
  const errors = uris.flatMap((uri, index): FieldError[] => {
    const path = `${field}[${index}]`
    const reason = findRedirectUriError(uri)
    if (reason !== undefined) return [{ path, ...urlViolation(reason) }]
    // The conversion can make a text longer.
    if (uri.length > maxRedirectUriLength) return [{ path, ...tooLong(maxRedirectUriLength) }]
    const message = 'must differ from every other entry'
    return uris.indexOf(uri) < index ? [{ path, code: 'duplicate', message }] : []
  })
  if (errors.length > 0) throw invalidAll(errors)
  return uris
}

/** `allowLoopbackPort` is for public applications (sign-in/redirect-uri-registration). */
function checkLoopbackPort(type: 'confidential' | 'public', allow: boolean): void {
  if (allow && type === 'confidential') {
    throw invalid('allowLoopbackPort', 'invalid', 'is accepted only for public applications')
  }
}
