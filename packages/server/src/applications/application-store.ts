import type {
  ApplicationType,
  EndpointFormat,
  ServerBinding,
  SettingScope,
} from '@gatehouse/protocol/applications'
import type { PrivilegedIntent } from '@gatehouse/protocol/intents'
import { fragment, list, type Sql } from '../storage/database.ts'
import type { DeletedParents, DeleteRows } from '../storage/deletion-registry.ts'

/** A binding, and what the owner of the server has decided about it (sign-in/binding-decision). */
export interface BindingRecord extends Omit<ServerBinding, 'state'> {
  /** The owner of the server who lets the application stay bound. */
  keptBy?: string
  ended?: true
}

export interface ApplicationRecord {
  id: string
  ownerId: string
  name: string
  description: string
  /** Content hash of the icon; null without an icon. */
  iconHash: string | null
  type: ApplicationType
  /** SHA-256 of the client secret; null for a public application. */
  secretHash: string | null
  redirectUris: readonly string[]
  allowLoopbackPort: boolean
  postLogoutRedirectUris: readonly string[]
  backchannelLogoutUri: string | null
  interactionsEndpointUrl: string | null
  interactionsEndpointFormat: EndpointFormat
  /** Those that are switched on. */
  privilegedIntents: readonly PrivilegedIntent[]
  /** Ed25519, 64 hex characters. */
  publicKey: string
  privateKeySealed: string
  botUserId: string | null
  /** Whether others than the owner may add the bot to servers (sign-in/public-bots). */
  publicBot: boolean
  /** Null unless the application is bound to a server (sign-in/server-binding). */
  server: BindingRecord | null
  /** Whether the user cannot deselect `email`. */
  emailRequired: boolean
  /** With `emailRequired`: whether a user verifies the address first. */
  emailVerifiedOnly: boolean
  /** Of a request without a known scope. */
  defaultScopes: readonly SettingScope[]
  /** Added to every request for a code. */
  addedScopes: readonly SettingScope[]
  /** Whether a used refresh token gets the same response again for 10 seconds. */
  refreshGrace: boolean
  createdAt: number
}

/** The columns whose values are JSON or 0 and 1. */
interface Encoded {
  redirectUris: string
  allowLoopbackPort: number
  postLogoutRedirectUris: string
  privilegedIntents: string
  publicBot: number
  emailRequired: number
  emailVerifiedOnly: number
  defaultScopes: string
  addedScopes: string
  refreshGrace: number
}

interface BindingColumns {
  boundServerId: string | null
  serverBinding: string | null
}

type Row = Omit<ApplicationRecord, keyof Encoded | 'server'> & Encoded & BindingColumns

function toRecord({ boundServerId, serverBinding, ...row }: Row): ApplicationRecord {
  return {
    ...row,
    redirectUris: JSON.parse(row.redirectUris),
    allowLoopbackPort: row.allowLoopbackPort === 1,
    postLogoutRedirectUris: JSON.parse(row.postLogoutRedirectUris),
    privilegedIntents: JSON.parse(row.privilegedIntents),
    publicBot: row.publicBot === 1,
    server: toBinding({ boundServerId, serverBinding }),
    emailRequired: row.emailRequired === 1,
    emailVerifiedOnly: row.emailVerifiedOnly === 1,
    defaultScopes: JSON.parse(row.defaultScopes),
    addedScopes: JSON.parse(row.addedScopes),
    refreshGrace: row.refreshGrace === 1,
  }
}

function toBinding({ boundServerId, serverBinding }: BindingColumns): BindingRecord | null {
  return boundServerId === null || serverBinding === null
    ? null
    : { id: boundServerId, ...JSON.parse(serverBinding) }
}

function toBindingColumns(server: BindingRecord | null): BindingColumns {
  if (server === null) return { boundServerId: null, serverBinding: null }
  const { id, ...binding } = server
  return { boundServerId: id, serverBinding: JSON.stringify(binding) }
}

export async function insertApplication(sql: Sql, application: ApplicationRecord): Promise<void> {
  await sql.run`
    INSERT INTO applications (id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris,
      allow_loopback_port, post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url,
      privileged_intents, public_key, private_key_sealed, bot_user_id, public_bot, email_verified_only,
      commands_version, created_at)
    VALUES (${application.id}, ${application.ownerId}, ${application.name}, ${application.description},
      ${application.iconHash}, ${application.type}, ${application.secretHash},
      ${JSON.stringify(application.redirectUris)}, ${application.allowLoopbackPort ? 1 : 0},
      ${JSON.stringify(application.postLogoutRedirectUris)}, ${application.backchannelLogoutUri},
      ${application.interactionsEndpointUrl}, ${JSON.stringify(application.privilegedIntents)},
      ${application.publicKey}, ${application.privateKeySealed}, ${application.botUserId},
      ${application.publicBot ? 1 : 0}, ${application.emailVerifiedOnly ? 1 : 0}, 0, ${application.createdAt})`
}

// The view `valid_applications` has the applications that are neither deleted nor disabled, and whose owner is not
// disabled (administration/disable): what signs in users, or is used, is read from it.

export async function countApplications(sql: Sql, ownerId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM applications WHERE owner_id = ${ownerId} AND deleted_at IS NULL`
  return row?.n ?? 0
}

const columns = fragment`
  id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris, allow_loopback_port,
  post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url, interactions_endpoint_format,
  privileged_intents, public_key, private_key_sealed, bot_user_id, public_bot, bound_server_id, server_binding,
  email_required, email_verified_only, default_scopes, added_scopes, refresh_grace, created_at`

/** Also that of a disabled owner: for what users withdraw and remove. */
export async function findApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT ${columns} FROM applications WHERE id = ${id} AND deleted_at IS NULL`
  return row && toRecord(row)
}

/** Undefined also while the owner is disabled. */
export async function findValidApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT ${columns} FROM valid_applications WHERE id = ${id}`
  return row && toRecord(row)
}

/** The fields that the token endpoint needs. */
export type ClientRecord = Pick<
  ApplicationRecord,
  | 'id'
  | 'ownerId'
  | 'type'
  | 'secretHash'
  | 'backchannelLogoutUri'
  | 'server'
  | 'defaultScopes'
  | 'addedScopes'
  | 'refreshGrace'
>

/** Reads few columns, because every request to the token endpoint calls it. */
export async function findClient(sql: Sql, id: string): Promise<ClientRecord | undefined> {
  const row = await sql.get<
    Omit<ClientRecord, keyof Encoded | 'server'> &
      Pick<Encoded, 'defaultScopes' | 'addedScopes' | 'refreshGrace'> &
      BindingColumns
  >`
    SELECT id, owner_id, type, secret_hash, backchannel_logout_uri, bound_server_id, server_binding, default_scopes,
      added_scopes, refresh_grace
    FROM valid_applications WHERE id = ${id}`
  if (row === undefined) return undefined
  const { boundServerId, serverBinding, defaultScopes, addedScopes, refreshGrace, ...client } = row
  return {
    ...client,
    server: toBinding({ boundServerId, serverBinding }),
    defaultScopes: JSON.parse(defaultScopes),
    addedScopes: JSON.parse(addedScopes),
    refreshGrace: refreshGrace === 1,
  }
}

export interface BoundRecord extends Pick<ApplicationRecord, 'id' | 'ownerId' | 'name' | 'iconHash'> {
  server: BindingRecord
}

/** The applications that are bound to the server, without ended bindings. */
export async function listBoundApplications(sql: Sql, serverId: string): Promise<BoundRecord[]> {
  const rows = await sql.all<Omit<BoundRecord, 'server'> & BindingColumns>`
    SELECT id, owner_id, name, icon_hash, bound_server_id, server_binding FROM applications
    WHERE bound_server_id = ${serverId} AND deleted_at IS NULL ORDER BY id`
  return rows.flatMap(({ boundServerId, serverBinding, ...application }) => {
    const server = toBinding({ boundServerId, serverBinding })
    return server === null || server.ended ? [] : [{ ...application, server }]
  })
}

/** Oldest first. */
export async function listApplications(sql: Sql, ownerId: string): Promise<ApplicationRecord[]> {
  const rows = await sql.all<Row>`
    SELECT ${columns} FROM applications WHERE owner_id = ${ownerId} AND deleted_at IS NULL ORDER BY id`
  return rows.map(toRecord)
}

export type ApplicationChanges = Pick<
  ApplicationRecord,
  | 'name'
  | 'description'
  | 'redirectUris'
  | 'allowLoopbackPort'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'interactionsEndpointUrl'
  | 'interactionsEndpointFormat'
  | 'privilegedIntents'
  | 'publicBot'
  | 'server'
  | 'emailRequired'
  | 'emailVerifiedOnly'
  | 'defaultScopes'
  | 'addedScopes'
  | 'refreshGrace'
>

export async function updateApplication(sql: Sql, id: string, changes: ApplicationChanges): Promise<void> {
  const { boundServerId, serverBinding } = toBindingColumns(changes.server)
  await sql.run`
    UPDATE applications SET name = ${changes.name}, description = ${changes.description},
      redirect_uris = ${JSON.stringify(changes.redirectUris)},
      allow_loopback_port = ${changes.allowLoopbackPort ? 1 : 0},
      post_logout_redirect_uris = ${JSON.stringify(changes.postLogoutRedirectUris)},
      backchannel_logout_uri = ${changes.backchannelLogoutUri},
      interactions_endpoint_url = ${changes.interactionsEndpointUrl},
      interactions_endpoint_format = ${changes.interactionsEndpointFormat},
      privileged_intents = ${JSON.stringify(changes.privilegedIntents)}, public_bot = ${changes.publicBot ? 1 : 0},
      bound_server_id = ${boundServerId}, server_binding = ${serverBinding},
      email_required = ${changes.emailRequired ? 1 : 0},
      email_verified_only = ${changes.emailVerifiedOnly ? 1 : 0},
      default_scopes = ${JSON.stringify(changes.defaultScopes)},
      added_scopes = ${JSON.stringify(changes.addedScopes)}, refresh_grace = ${changes.refreshGrace ? 1 : 0}
    WHERE id = ${id}`
}

export async function setBinding(sql: Sql, id: string, binding: BindingRecord): Promise<void> {
  const { boundServerId, serverBinding } = toBindingColumns(binding)
  await sql.run`
    UPDATE applications SET bound_server_id = ${boundServerId}, server_binding = ${serverBinding} WHERE id = ${id}`
}

export async function setDescription(sql: Sql, id: string, description: string): Promise<void> {
  await sql.run`UPDATE applications SET description = ${description} WHERE id = ${id}`
}

export async function setIcon(sql: Sql, id: string, hash: string): Promise<void> {
  await sql.run`UPDATE applications SET icon_hash = ${hash} WHERE id = ${id}`
}

export async function setOwner(sql: Sql, id: string, ownerId: string): Promise<void> {
  await sql.run`UPDATE applications SET owner_id = ${ownerId} WHERE id = ${id}`
}

export async function setSecret(sql: Sql, id: string, secretHash: string): Promise<void> {
  await sql.run`UPDATE applications SET secret_hash = ${secretHash} WHERE id = ${id}`
}

/** The sealed keys that sign requests to the endpoints, by application id. */
export function listPrivateKeys(sql: Sql, after: string, limit: number) {
  return sql.all<{ id: string; privateKeySealed: string }>`
    SELECT id, private_key_sealed FROM applications WHERE id > ${after} ORDER BY id LIMIT ${limit}`
}

export async function setSigningKeys(
  sql: Sql,
  id: string,
  { publicKey, privateKeySealed }: Pick<ApplicationRecord, 'publicKey' | 'privateKeySealed'>,
): Promise<void> {
  await sql.run`
    UPDATE applications SET public_key = ${publicKey}, private_key_sealed = ${privateKeySealed} WHERE id = ${id}`
}

const deleteCommands: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM commands WHERE id IN
      (SELECT c.id FROM commands c WHERE c.application_id = ${applicationId} LIMIT ${limit})`

const deleteInstallations: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM integrations WHERE (server_id, application_id) IN
      (SELECT i.server_id, i.application_id FROM integrations i WHERE i.application_id = ${applicationId}
        LIMIT ${limit})`

const deleteOverrides: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM command_overrides WHERE (server_id, command_id, position) IN
      (SELECT o.server_id, o.command_id, o.position FROM commands c JOIN command_overrides o ON o.command_id = c.id
       WHERE c.application_id = ${applicationId} LIMIT ${limit})`

const deleteApplication: DeleteRows = (sql, id) =>
  sql.run`DELETE FROM applications WHERE id = ${id} AND deleted_at IS NOT NULL`

/** `removeBot`: from up to `limit` servers. `others`: the rows of other modules. */
export const deletedApplications = (
  removeBot: DeleteRows,
  others: readonly DeleteRows[],
): DeletedParents => ({
  list: sql => sql.all`SELECT id FROM applications WHERE deleted_at >= 0 ORDER BY deleted_at LIMIT 100`,
  deletions: [removeBot, ...others, deleteOverrides, deleteCommands, deleteInstallations, deleteApplication],
})

/** Null: enabled. Returns false if nothing changed. */
export async function setDisabled(sql: Sql, id: string, disabledAt: number | null): Promise<boolean> {
  const changed =
    disabledAt === null
      ? await sql.run`UPDATE applications SET disabled_at = NULL WHERE id = ${id} AND disabled_at IS NOT NULL`
      : await sql.run`UPDATE applications SET disabled_at = ${disabledAt} WHERE id = ${id} AND disabled_at IS NULL`
  return changed > 0
}

/** From now on no read finds the application, nor anything of it (limits/deletion). */
export async function markDeleted(sql: Sql, id: string, now: number): Promise<void> {
  await sql.run`UPDATE applications SET deleted_at = ${now} WHERE id = ${id}`
}

/** Of a deleted application: up to `limit` servers that have its bot, with the bot. */
export function listServersOfBot(
  sql: Sql,
  applicationId: string,
  limit: number,
): Promise<{ serverId: string; botId: string }[]> {
  return sql.all`
    SELECT m.server_id, m.user_id AS bot_id FROM applications a JOIN members m ON m.user_id = a.bot_user_id
    WHERE a.id = ${applicationId} LIMIT ${limit}`
}

/** The caller has locked the application and checked that it has no bot. */
export async function setBot(sql: Sql, id: string, botUserId: string, tokenHash: string): Promise<void> {
  await sql.run`
    UPDATE applications SET bot_user_id = ${botUserId}, bot_token_hash = ${tokenHash} WHERE id = ${id}`
}

/** Returns false if the application has no bot. */
export async function setBotToken(sql: Sql, id: string, tokenHash: string): Promise<boolean> {
  const changed = await sql.run`
    UPDATE applications SET bot_token_hash = ${tokenHash} WHERE id = ${id} AND bot_user_id IS NOT NULL`
  return changed === 1
}

export interface BotRecord extends Pick<ApplicationRecord, 'privilegedIntents'> {
  applicationId: string
  userId: string
}

export async function findBotByToken(sql: Sql, tokenHash: string): Promise<BotRecord | undefined> {
  const row = await sql.get<Omit<BotRecord, 'privilegedIntents'> & { privilegedIntents: string }>`
    SELECT id AS application_id, bot_user_id AS user_id, privileged_intents
    FROM valid_applications WHERE bot_token_hash = ${tokenHash}`
  return row && { ...row, privilegedIntents: JSON.parse(row.privilegedIntents) }
}

/** Null without a bot, and while its token is not valid. */
export async function findBotTokenHash(sql: Sql, applicationId: string): Promise<string | null> {
  const row = await sql.get<{ botTokenHash: string | null }>`
    SELECT bot_token_hash FROM valid_applications WHERE id = ${applicationId}`
  return row?.botTokenHash ?? null
}

/** Of these applications, those whose bot tokens are valid. */
export async function listValidIds(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM valid_applications WHERE id IN ${list(ids)}`
  return rows.map(row => row.id)
}

/** The id of the application that a bot user belongs to. */
export async function findByBotUser(sql: Sql, userId: string): Promise<string | undefined> {
  const row = await sql.get<{ id: string }>`SELECT id FROM applications WHERE bot_user_id = ${userId}`
  return row?.id
}

/**
 * Locks the row until the transaction ends. The increment has no other purpose. Undefined if the application does not
 * exist.
 */
export async function lockApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  const locked = await sql.run`
    UPDATE applications SET commands_version = commands_version + 1 WHERE id = ${id} AND deleted_at IS NULL`
  return locked === 1 ? findApplication(sql, id) : undefined
}
