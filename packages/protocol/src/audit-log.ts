import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import { maxAuditReason } from './limits.ts'
import { PageQuery } from './lists.ts'
import { User } from './users.ts'
import { described, list, nullable, object, oneOf, openObject, optional, string, text } from './wire.ts'

/** The acts in the audit log of a server. */
export const serverAuditActions = [
  'SERVER_UPDATE',
  'SERVER_TRANSFER_OFFER',
  'SERVER_TRANSFER_END',
  'SERVER_TRANSFER',
  'CHANNEL_CREATE',
  'CHANNEL_UPDATE',
  'CHANNEL_DELETE',
  'OVERWRITE_UPDATE',
  'OVERWRITE_DELETE',
  'ROLE_CREATE',
  'ROLE_UPDATE',
  'ROLE_DELETE',
  'MEMBER_KICK',
  'MEMBER_UPDATE',
  'MEMBER_ROLE_UPDATE',
  'BAN_ADD',
  'BAN_REMOVE',
  'INVITE_CREATE',
  'INVITE_DELETE',
  'MESSAGE_DELETE',
  'REPORT_RESOLVE',
  'REPORT_DISMISS',
  'REPORT_REOPEN',
  'BOT_ADD',
  'BOT_REMOVE',
  'COMMAND_PERMISSION_UPDATE',
  'BINDING_KEEP',
  'BINDING_END',
  'WEBHOOK_CREATE',
  'WEBHOOK_UPDATE',
  'WEBHOOK_DELETE',
] as const

/** The acts in the audit log of the instance. */
export const instanceAuditActions = [
  'INSTANCE_UPDATE',
  'REPORT_VIEW',
  'REPORT_RESOLVE',
  'REPORT_DISMISS',
  'REPORT_REOPEN',
  'USER_DISABLE',
  'USER_ENABLE',
  'USER_PROMOTE',
  'USER_DEMOTE',
  'USER_EMAIL_CONFIRM',
  'USER_SESSIONS_END',
  'USER_SECOND_FACTOR_RESET',
  'SERVER_DISABLE',
  'SERVER_ENABLE',
  'SERVER_TRANSFER',
  'SERVER_DELETE',
  'APPLICATION_DISABLE',
  'APPLICATION_ENABLE',
  'APPLICATION_TRANSFER',
  'APPLICATION_DELETE',
] as const

export const auditActions = [...new Set([...serverAuditActions, ...instanceAuditActions])]
export const AuditAction = oneOf(auditActions, 'What was done.')
export type AuditAction = InferOutput<typeof AuditAction>

const targetTypes = [
  'server',
  'channel',
  'category',
  'role',
  'user',
  'invite',
  'message',
  'command',
  'webhook',
  'report',
  'application',
  'instance',
] as const
export const AuditTargetType = oneOf(targetTypes, 'The kind of what was changed.')
export type AuditTargetType = InferOutput<typeof AuditTargetType>

const Change = object(
  {
    key: string('The member of the object that changed.'),
    before: nullable(string(), 'The value before, as JSON; null if there was none.'),
    after: nullable(string(), 'The value after, as JSON; null if there is none.'),
  },
  'A change of one member.',
)
export type AuditChange = InferOutput<typeof Change>

export const AuditLogEntry = object(
  {
    id: described(Id, 'The id of the entry.'),
    serverId: nullable(Id, 'The server; null in the audit log of the instance.'),
    action: AuditAction,
    actor: nullable(User, 'Who did it: a user or a bot; null for a command of the operator.'),
    target: object(
      {
        type: AuditTargetType,
        id: string('Its id; the code of an invite.'),
        name: string('Its name at that time.'),
      },
      'What was changed.',
    ),
    changes: list(Change, 'What changed, without secrets.'),
    reason: nullable(string(), 'The reason that the actor gave; null without one.'),
    createdAt: described(Timestamp, 'When it was done.'),
  },
  'An act in an audit log.',
)
export type AuditLogEntry = InferOutput<typeof AuditLogEntry>

/** `GET /api/servers/:id/audit-log`, newest first. An id is also a time: see `snowflake` in docs/api.md. */
export const AuditLogQuery = object(
  {
    ...PageQuery.entries,
    userId: optional(described(Id, 'Only the acts of this user or bot.')),
    targetId: optional(string('Only the acts on this target.')),
    action: optional(described(AuditAction, 'Only acts of this kind.')),
  },
  'A page of the audit log.',
)
export type AuditLogQuery = InferOutput<typeof AuditLogQuery>

export const auditReasonHeader = 'X-Audit-Log-Reason'

/** As it is sent: URL-encoded, as in Discord. */
export const AuditReasonHeaders = openObject({
  [auditReasonHeader]: optional(
    string(`Why, for the audit log: up to ${maxAuditReason} characters, URL-encoded as UTF-8.`),
  ),
})

/** As it is decoded. */
export const AuditReason = openObject({
  [auditReasonHeader]: optional(text({ max: maxAuditReason, clean: 'lines', empty: 'absent' })),
})
