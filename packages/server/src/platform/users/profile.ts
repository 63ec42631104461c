import type { UpdateSelfBody } from '@gatehouse/protocol/users'
import { AppError } from '../../kit/app-error.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { checkImage, dropImage, saveImage } from '../images/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { type PeopleLimits, tooManyMails } from './limits.ts'
import type { MailLinks } from './mail-links.ts'
import type { Mails } from './mails.ts'
import type { Passwords } from './password.ts'
import { visibleName } from './registration.ts'
import type { SignIn } from './sign-in.ts'
import * as store from './store.ts'
import { orTaken, refuseReserved, Taken } from './taken.ts'
import { emailKey, selfView, type UserRecord } from './user.ts'

interface ProfileDeps {
  db: Database
  passwords: Passwords
  limits: PeopleLimits
  links: MailLinks
  mails: Mails
  post: (mail: Mail) => void
  sessions: Pick<Sessions, 'endSessions'>
  signIn: Pick<SignIn, 'checkCurrentPassword'>
  onPasswordChanged: (tx: Transaction, userId: string) => Promise<void>
  events: Pick<Events, 'toUser'>
  /** Tells those who see the person, in the transaction that changes how. */
  onProfileChanged: (tx: Transaction, user: UserRecord) => Promise<void>
}

export interface Profile {
  /**
   * Changes oneself. A changed password ends the other sessions and what hangs on `onPasswordChanged`; a changed address
   * is to be confirmed anew (D76). Throws `validation_failed` at `currentPassword`, `conflict` (Taken), `rate_limited`.
   */
  updateSelf(
    caller: { userId: string; sessionId: string; ip: string },
    changes: UpdateSelfBody,
  ): Promise<UserRecord>
  /** Throws as `checkImage` of images/. */
  setAvatar(userId: string, bytes: Uint8Array): Promise<UserRecord>
  removeAvatar(userId: string): Promise<UserRecord>
}

export function createProfile(deps: ProfileDeps): Profile {
  const { db, passwords, limits, links, mails, post, sessions, signIn, onPasswordChanged, events } = deps

  async function changePassword(
    tx: Transaction,
    { user, passwordHash }: store.Credentials,
    after: string,
    sessionId: string,
  ): Promise<void> {
    if (!(await store.replacePasswordHash(tx, user.id, { before: passwordHash, after }))) {
      throw new AppError('conflict', 'The password was changed at the same moment from elsewhere.')
    }
    await store.deleteMailTokensFor(tx, user.id, 'reset')
    await sessions.endSessions(tx, user.id, { except: sessionId })
    await onPasswordChanged(tx, user.id)
  }

  async function changeEmail(tx: Transaction, user: UserRecord, email: string): Promise<{ send(): void }> {
    await store.setEmail(tx, user.id, email, emailKey(email))
    // Links that went to the old address, also those for a new password.
    await store.deleteMailTokens(tx, user.id)
    return links.make(tx, { ...user, email }, 'verify')
  }

  async function refuseTaken(user: UserRecord, changes: UpdateSelfBody): Promise<void> {
    const username = changes.username ?? user.username
    if (username !== user.username) refuseReserved(username)
    const names = { username, emailKey: emailKey(changes.email ?? ''), exceptId: user.id }
    const taken = await store.takenNames(db, names)
    if (taken.username) throw new Taken('username')
    if (taken.email) throw new Taken('email')
  }

  /** USER_UPDATE to the person's own sessions; the others are told where they see something else from now on. */
  async function announce(tx: Transaction, before: UserRecord, after: UserRecord): Promise<void> {
    const d = selfView(after, { email: true })
    if (JSON.stringify(d) === JSON.stringify(selfView(before, { email: true }))) return
    tx.afterCommit(() => events.toUser(after.id, { t: 'USER_UPDATE', d }))
    const { username, displayName, avatar } = before
    if (username === after.username && displayName === after.displayName && avatar === after.avatar) return
    await deps.onProfileChanged(tx, after)
  }

  async function showAvatar(tx: Transaction, userId: string, hash: string | null): Promise<UserRecord> {
    const before = existing(await store.findUser(tx, userId))
    await store.setAvatar(tx, userId, hash)
    const after = { ...before, avatar: hash }
    await announce(tx, before, after)
    return after
  }

  return {
    async updateSelf({ userId, sessionId, ip }, changes) {
      const credentials = await store.credentialsById(db, userId)
      if (!credentials) throw gone()
      const { user } = credentials
      const { username, password } = changes
      const email = changes.email === user.email ? undefined : changes.email
      const displayName = changes.displayName === undefined ? undefined : visibleName(changes.displayName)
      if (email !== undefined || password !== undefined) {
        await signIn.checkCurrentPassword(credentials, changes.currentPassword, { ip })
      }
      await refuseTaken(user, changes)
      if (email !== undefined && !limits.countMail(userId)) throw tooManyMails()
      const passwordHash = password === undefined ? undefined : await passwords.hash(password)

      const { changed, link } = await orTaken(() =>
        db.transaction(async tx => {
          if (username !== undefined) await store.setUsername(tx, userId, username)
          if (displayName !== undefined) await store.setDisplayName(tx, userId, displayName)
          if (passwordHash !== undefined) await changePassword(tx, credentials, passwordHash, sessionId)
          const current = await store.findUser(tx, userId)
          if (!current) throw gone()
          const link = email === undefined ? undefined : await changeEmail(tx, current, email)
          const changed = email === undefined ? current : { ...current, email, emailVerified: false }
          await announce(tx, user, changed)
          return { changed, link }
        }),
      )

      link?.send()
      // Notices go where mail went until now: it is not yet shown that the new address is the person's.
      if (user.email !== null) {
        const to = { id: userId, email: user.email, username: changed.username }
        if (link) post(mails.emailChanged(to))
        if (passwordHash !== undefined) post(mails.passwordChanged(to))
      }
      return changed
    },
    async setAvatar(userId, bytes) {
      checkImage(bytes)
      return db.transaction(async tx => {
        const hash = await saveImage(tx, { kind: 'users', ownerId: userId, bytes })
        return showAvatar(tx, userId, hash)
      })
    },
    removeAvatar: userId =>
      db.transaction(async tx => {
        await dropImage(tx, 'users', userId)
        return showAvatar(tx, userId, null)
      }),
  }
}

function existing(user: UserRecord | undefined): UserRecord {
  if (!user) throw gone()
  return user
}

/** The account went while its session was still being looked at. */
function gone(): AppError {
  return new AppError('unauthenticated', 'The account is no longer there.')
}
