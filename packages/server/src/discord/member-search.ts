import { maxListLimit } from '@gatehouse/protocol/limits'
import type { Member } from '@gatehouse/protocol/servers'
import { isMember, listServerMembers } from '../community/members/index.ts'
import { AppError } from '../errors/app-error.ts'
import { type Clock, delay, type Timers } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'

export interface MemberPageDeps {
  db: Database
  clock: Clock
  timers: Timers
  rateLimiter: Pick<RateLimiter, 'checkOwed' | 'addRequests'>
}

/** The members of a page. */
export const membersPerPage = 1000

/** Counts one more request of the bot, and waits until the rate allows it (limits/requests). */
export async function waitForRequest(
  { timers, rateLimiter }: Pick<MemberPageDeps, 'timers' | 'rateLimiter'>,
  userId: string,
): Promise<void> {
  for (;;) {
    try {
      rateLimiter.checkOwed(userId)
      return rateLimiter.addRequests(userId, 1)
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfter === undefined) throw error
      await delay(timers, Math.ceil(error.retryAfter * 1000))
    }
  }
}

/**
 * The members in pages, by user id, while the bot is a member. The first page is already counted, each other one counts
 * as a request of the bot.
 */
export async function* listMemberPages(
  deps: MemberPageDeps,
  userId: string,
  serverId: string,
): AsyncGenerator<Member[]> {
  const { db, clock } = deps
  for (let after = ''; await isMember(db, serverId, userId); ) {
    const page = await listServerMembers(db, clock(), serverId, { after, limit: membersPerPage })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < membersPerPage) return
    after = last.user.id
    await waitForRequest(deps, userId)
  }
}

/**
 * The first `limit` members, by user id, whose username or display name begins with `query`. Each page that is read
 * counts as one more request for each 100 members, because our own list returns no more at a time.
 */
export async function searchMembers(
  deps: MemberPageDeps,
  userId: string,
  { serverId, query, limit }: { serverId: string; query: string; limit: number },
): Promise<Member[]> {
  const start = query.toLowerCase()
  const found: Member[] = []
  for await (const members of listMemberPages(deps, userId, serverId)) {
    deps.rateLimiter.addRequests(userId, Math.floor(members.length / maxListLimit))
    found.push(
      ...members.filter(({ user }) =>
        [user.username, user.displayName].some(name => name.toLowerCase().startsWith(start)),
      ),
    )
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}
