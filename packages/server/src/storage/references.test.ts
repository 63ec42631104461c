import assert from 'node:assert/strict'
import { eachEngine } from '@gatehouse/testkit/databases'
import type { Database } from './database.ts'

// Who deletes the rows that have the id of something else, when that is deleted (limits/deletion). `tables` of
// tools/check-structure.ts has the folder of each table.

/**
 * Foreign keys that delete or change rows with their parent. They are few: by their number, or because a sweep deletes
 * them in batches before it deletes the parent.
 */
const cascades: Record<string, string> = {
  // Users are never deleted.
  'sessions.user_id': 'users stay',
  'mail_tokens.user_id': 'users stay',
  'applications.owner_id': 'users stay',
  'oauth_consents.user_id': 'users stay',
  'oauth_grants.user_id': 'users stay',
  'oauth_sign_ins.user_id': 'users stay',
  'security_log.user_id': 'users stay; at most 50 entries of a kind, deleted after 90 days',
  'known_devices.user_id': 'users stay; at most 20 devices',
  'passkeys.user_id': 'users stay',
  'authenticator_apps.user_id': 'users stay',
  'recovery_codes.user_id': 'users stay',
  'mfa_tickets.user_id': 'users stay',
  'former_usernames.user_id': 'users stay',
  'read_marks.user_id': 'users stay',
  'blocks.user_id': 'users stay',
  // Of a server.
  'ownership_transfers.server_id': 'at most one offer',
  'roles.server_id': 'at most 250 roles',
  'members.server_id': 'batches',
  'channels.server_id': 'batches',
  'invites.server_id': 'batches',
  'message_deletions.server_id': 'one for each bulk ban, until its messages are deleted',
  'integrations.server_id': 'batches',
  'bans.server_id': 'batches',
  'timeouts.server_id': 'batches',
  // Of a role, a member, an integration and a command.
  'member_roles.role_id': 'batches',
  'member_roles.server_id, user_id': 'at most 250 roles of a member',
  'command_overrides.role_id': 'batches',
  'command_overrides.server_id, user_id': 'at most 2,000 overrides on a server',
  'command_overrides.server_id, application_id': 'at most 2,000 overrides on a server',
  'command_overrides.command_id': 'batches',
  // Of a channel.
  'messages.channel_id': 'batches',
  'read_marks.channel_id': 'batches',
  'webhooks.channel_id': 'at most 15 webhooks',
  'overwrites.channel_id': 'at most 250 overwrites',
  'dm_members.channel_id': 'two users of a direct message',
  'command_overrides.channel_id': 'batches',
  // Of a message and a webhook.
  'mentions.message_id': 'at most 201 mentions',
  'webhook_deliveries.webhook_id': 'at most 100 deliveries',
  // Of an application, a grant and a session.
  'oauth_consents.application_id': 'batches',
  'oauth_grants.application_id': 'batches',
  'oauth_sign_ins.application_id': 'batches',
  'sign_in_failures.application_id': 'batches; at most 100 entries',
  'interactions.application_id': 'batches',
  'commands.application_id': 'batches',
  'integrations.application_id': 'batches',
  'oauth_used_refresh_tokens.grant_id': 'at most 100 used tokens',
  'oauth_grants.session_id': 'codes of five minutes, at most 60 a minute',
  'oauth_sign_ins.session_id': 'at most 200 applications',
}

/** Foreign keys without an action: users are never deleted. */
const usersOnly = [
  'applications.bot_user_id',
  'bans.user_id',
  'blocks.blocked_id',
  'dm_members.recipient_id',
  'dm_members.user_id',
  'images.uploader_id',
  'invites.creator_id',
  'members.user_id',
  'ownership_transfers.owner_id',
  'ownership_transfers.user_id',
  'roles.bot_id',
  'servers.owner_id',
  'timeouts.user_id',
  'webhooks.created_by',
]

/** Ids without a foreign key. */
const others: Record<string, string> = {
  // The audit log.
  'audit_log.server_id': 'by the deletion of the server; the sweep deletes entries after 90 days',
  'audit_log.actor_id': 'by the sweep after 90 days: it shows who acted',
  'audit_log.target_id': 'by the sweep after 90 days: it shows on what',
  'security_log.application_id': 'by the sweep after 90 days: it shows what the user authorized',
  // Reports.
  'reports.server_id': 'by the deletion of the server; of a closed report by the sweep after 90 days',
  'reports.channel_id': 'with the report, which stays when its channel is deleted',
  'reports.subject_id': 'with the report, which stays when its message is deleted',
  'reports.user_id': 'with the report: it shows who was reported',
  'reports.reporter_id': 'with the report; at most 25 open ones of a user on a server',
  // They go with another row.
  'integrations.role_id': 'with the integration, whose end deletes the managed role',
  'mentions.channel_id': 'with the message',
  'mentions.target_id': 'with the message; those of a deleted role do not count',
  'invites.channel_id': 'stays: an invite outlives its channel, whose id then counts as none',
  'channels.parent_id': 'set to null by the deletion of the category',
  'messages.server_id': 'with the channel',
  'overwrites.target_id': 'by the deletion of the role, and the removal of the member',
  'read_marks.last_read_id': 'with the channel',
  'webhook_deliveries.message_id': 'with the webhook',
  'webhooks.application_id': 'with the webhook: it shows whose bot created it',
  'webhooks.server_id': 'with the channel',
  'images.owner_id': 'by the deletion of the server, bot, application or webhook',
  'authenticator_apps.session_id': 'by the next one of the user; with another session it cannot be confirmed',
  // By an event.
  'commands.server_id': 'by MemberRemoved of the bot',
  'oauth_sign_ins.sid': 'by SessionEnded; the sweep deletes those of expired sessions',
  // By a sweep.
  'interactions.channel_id': 'by the sweep of interactions',
  'interactions.original_id': 'by the sweep of interactions',
  'interactions.source_message_id': 'by the sweep of interactions',
  'interactions.server_id': 'by the sweep of interactions',
  'interactions.user_id': 'by the sweep of interactions',
  'slow_mode_turns.channel_id': 'by the sweep after 6 hours; at most one for each member',
  'slow_mode_turns.user_id': 'by the sweep after 6 hours',
  'grant_revocations.application_id': 'by the sweep that has deleted the revoked grants',
  'grant_revocations.user_id': 'by the sweep that has deleted the revoked grants',
  // They stay.
  'bans.moderator_id': 'stays: it shows who banned the user; users are never deleted',
  'applications.bound_server_id': 'stays: an application for the members of a deleted server accepts nobody',
  'messages.application_id': 'stays: it shows who sent the message',
  'messages.author_id': 'stays: it shows who sent the message',
  'messages.interaction_id': 'stays: it shows what the message responds to',
  'messages.webhook_id': 'stays: it shows who sent the message',
  'oauth_grants.sid': 'stays: tokens outlive the session (docs/decisions/logout.md)',
  // They are no ids of rows.
  'grant_revocations.consents_id': 'an id of its own row',
  'passkeys.credential_id': 'an id of the authenticator',
}

interface ForeignKey {
  key: string
  action: string
}

function listForeignKeys(db: Database): Promise<ForeignKey[]> {
  if (db.engine === 'sqlite') {
    return db.all`
      SELECT t.name || '.' || string_agg(k."from", ', ' ORDER BY k.seq) AS key, k.on_delete AS action
      FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) k
      WHERE t.type = 'table' GROUP BY t.name, k.id, k.on_delete`
  }
  return db.all`
    SELECT t.relname || '.' || string_agg(a.attname, ', ' ORDER BY k.n) AS key,
      CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END AS action
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
      CROSS JOIN unnest(c.conkey) WITH ORDINALITY AS k (attnum, n)
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
    WHERE c.contype = 'f' AND t.relnamespace = CAST(current_schema() AS regnamespace) GROUP BY c.oid, t.relname,
    c.confdeltype`
}

/** The columns whose name is that of an id. */
function listIdColumns(db: Database): Promise<{ key: string }[]> {
  if (db.engine === 'sqlite') {
    return db.all`
      SELECT t.name || '.' || c.name AS key FROM sqlite_schema t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND (substr(c.name, -3) = '_id' OR c.name = 'sid')`
  }
  return db.all`
    SELECT t.relname || '.' || a.attname AS key FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
    WHERE t.relkind = 'r' AND t.relnamespace = CAST(current_schema() AS regnamespace) AND a.attnum > 0
    AND NOT a.attisdropped
      AND (RIGHT(a.attname, 3) = '_id' OR a.attname = 'sid')`
}

eachEngine(
  'each column with the id of something else says who deletes its rows (limits/deletion)',
  async (_t, db) => {
    const foreignKeys = await listForeignKeys(db)
    const [plain, acting] = [false, true].map(acts =>
      foreignKeys.flatMap(({ key, action }) => ((action !== 'NO ACTION') === acts ? [key] : [])).sort(),
    )
    assert.deepEqual(acting, Object.keys(cascades).sort())
    assert.deepEqual(plain, usersOnly.toSorted())
    const referencing = foreignKeys.flatMap(({ key }) => {
      const [table = '', columns = ''] = key.split('.')
      return columns.split(', ').map(column => `${table}.${column}`)
    })
    const ids = (await listIdColumns(db)).map(({ key }) => key).filter(key => !referencing.includes(key))
    assert.deepEqual(ids.sort(), Object.keys(others).sort())
  },
)
