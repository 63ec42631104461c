import type { SelfUser, User } from '@gatehouse/protocol/users'
import { imagePath } from '../images/index.ts'

/** A person or a bot as it is kept, without what proves who they are. Times in milliseconds. */
export interface UserRecord {
  id: string
  username: string
  displayName: string
  email: string | null
  emailVerified: boolean
  /** The hash of the picture, null for the generated one. */
  avatar: string | null
  bot: boolean
  createdAt: number
}

/** As others see them. */
export function userView(
  record: Pick<UserRecord, 'id' | 'username' | 'displayName' | 'avatar' | 'bot'>,
): User {
  return {
    id: record.id,
    username: record.username,
    displayName: record.displayName,
    avatar: imagePath('users', record.id, record.avatar),
    bot: record.bot,
  }
}

/** As they see themselves; `email` says whether address and confirmation are shown. A bot has neither. */
export function selfView(record: UserRecord, { email }: { email: boolean }): SelfUser {
  if (!email || record.email === null) return userView(record)
  return { ...userView(record), email: record.email, emailVerified: record.emailVerified }
}

/** The form by which an address is the same whatever its case. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase()
}
