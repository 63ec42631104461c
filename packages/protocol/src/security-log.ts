import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import { PageQuery } from './lists.ts'
import { described, nullable, object, oneOf, string } from './wire.ts'

/** What the security log of a user has (sign-in/security-log). */
export const securityEvents = [
  'SIGN_IN',
  'SIGN_IN_FAILED',
  'SESSION_REVOKE',
  'SIGN_OUT_ALL',
  'PASSWORD_CHANGE',
  'PASSWORD_RESET',
  'EMAIL_CHANGE',
  'TOTP_ENABLE',
  'TOTP_DISABLE',
  'PASSKEY_ADD',
  'PASSKEY_REMOVE',
  'RECOVERY_CODES_CREATE',
  'SECOND_FACTOR_RESET',
  'APPLICATION_AUTHORIZE',
  'BAN',
  'BINDING_KEEP',
  'BINDING_END',
  'BOT_UPDATE',
] as const
export const SecurityEvent = oneOf(securityEvents, 'What happened.')
export type SecurityEvent = InferOutput<typeof SecurityEvent>

export const SecurityLogEntry = object(
  {
    id: described(Id, 'The id of the entry.'),
    kind: SecurityEvent,
    applicationId: nullable(
      Id,
      'The application that the user authorized, whose binding was decided, or whose bot changed.',
    ),
    targetName: nullable(
      string(),
      'The name of the application, or of the server of a ban or a binding, at that time.',
    ),
    ip: nullable(string(), 'The IP address of the request; null if somebody else acted.'),
    userAgent: nullable(string(), 'The browser of the request; null if unknown.'),
    createdAt: described(Timestamp, 'When it happened.'),
  },
  'An entry of the security log of the user.',
)
export type SecurityLogEntry = InferOutput<typeof SecurityLogEntry>

/** `GET /api/users/@me/security-log`, newest first. */
export const SecurityLogQuery = object(
  { before: PageQuery.entries.before, limit: PageQuery.entries.limit },
  'A page of the security log.',
)
export type SecurityLogQuery = InferOutput<typeof SecurityLogQuery>
