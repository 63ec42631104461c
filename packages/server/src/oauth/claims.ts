import type { SelfUser } from '@gatehouse/protocol/users'
import { findUser, selfView, type UserProfile } from '../accounts/users/index.ts'
import type { Sql } from '../storage/database.ts'

/** The user as shown to themselves, with the email address. Undefined if the user does not exist or is a bot. */
export async function findSelfUser(sql: Sql, userId: string): Promise<SelfUser | undefined> {
  const user = await findUser(sql, userId)
  return user && toSelfUser(user)
}

/** Undefined for a bot. */
export function toSelfUser(user: UserProfile): SelfUser | undefined {
  return user.bot ? undefined : selfView(user, { settings: false })
}

/** OIDC Core §5.1; `picture` is an absolute URL (sign-in/id-token-claims). */
export function profileClaims(
  user: SelfUser,
  baseUrl: string,
): { preferred_username: string; name: string; picture: string } {
  return {
    preferred_username: user.username,
    name: user.displayName,
    picture: `${baseUrl}${user.avatar}`,
  }
}

/** Omitted, never null, if the user has no email address (sign-in/userinfo-claims). */
export function emailClaims(user: SelfUser): { email?: string; email_verified?: boolean } {
  if (user.email === undefined) return {}
  return { email: user.email, email_verified: user.emailVerified ?? false }
}
