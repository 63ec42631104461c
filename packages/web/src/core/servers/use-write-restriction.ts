import { newMemberSeconds } from '@gatehouse/protocol/limits'
import { Permission } from '@gatehouse/protocol/permissions'
import type { Member, UserServer } from '@gatehouse/protocol/servers'
import type { SelfUser } from '@gatehouse/protocol/users'
import { useMemo } from 'react'
import { useServer } from '../api/queries.ts'
import { hasServerPermission } from './permissions.ts'
import { useIsFuture } from './use-is-future.ts'

/** Why a member cannot write on a server at the moment, and until when. */
export type WriteRestriction =
  | { reason: 'timed_out' | 'member_too_new'; until: string }
  | { reason: 'email_not_verified' }

/** `member`: the user on the server; undefined if they are not loaded. */
export function useWriteRestriction(
  self: SelfUser,
  server: UserServer | undefined,
  member: Member | undefined,
): WriteRestriction | undefined {
  const { data: { verificationLevel = 'none' } = {} } = useServer(server?.id ?? null)
  const end = member?.timedOutUntil ?? null
  // A time-out does not restrict the owner and administrators (community/timeouts).
  const isTimedOut = useIsFuture(end) && !hasServerPermission(server, Permission.ADMINISTRATOR)
  // (community/verification-level)
  const isExempt = !member || member.roles.length > 0 || server?.owner === true
  const level = isExempt ? 'none' : verificationLevel
  const isUnverified = level !== 'none' && self.emailVerified === false
  const start =
    level === 'member' && member
      ? new Date(Date.parse(member.joinedAt) + newMemberSeconds * 1000).toISOString()
      : null
  const isTooNew = useIsFuture(start)
  return useMemo(() => {
    if (isTimedOut && end !== null) return { reason: 'timed_out', until: end }
    if (isUnverified) return { reason: 'email_not_verified' }
    return isTooNew && start !== null ? { reason: 'member_too_new', until: start } : undefined
  }, [isTimedOut, end, isUnverified, isTooNew, start])
}
