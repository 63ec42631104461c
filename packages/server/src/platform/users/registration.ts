import { cleanName } from '@gatehouse/protocol/text'
import type { RegisterBody } from '@gatehouse/protocol/users'
import { AppError, invalid } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Seen, Sessions } from '../sessions/index.ts'
import type { PeopleLimits } from './limits.ts'
import type { MailLinks } from './mail-links.ts'
import type { Passwords } from './password.ts'
import { passwordMethod } from './sign-in.ts'
import * as store from './store.ts'
import { orTaken, refuseReserved, Taken } from './taken.ts'
import { emailKey, type UserRecord } from './user.ts'

export type RegistrationMode = 'open' | 'invite' | 'closed'

interface RegistrationDeps {
  db: Database
  clock: Clock
  ids: () => string
  passwords: Passwords
  limits: PeopleLimits
  links: MailLinks
  sessions: Pick<Sessions, 'startSession'>
  mode: RegistrationMode
  /** Uses an invite up for the new member, in the same transaction; false where the code does not hold (any more). */
  useInvite: (tx: Transaction, code: string, userId: string) => Promise<boolean>
}

/**
 * Makes an account and signs it in. Throws `registration_closed`, `conflict` (Taken), `validation_failed` at `invite`
 * or `displayName`, `rate_limited`.
 */
export type Register = (body: RegisterBody, seen: Seen) => Promise<{ user: UserRecord; secret: string }>

export function createRegistration(deps: RegistrationDeps): Register {
  const { db, clock, ids, passwords, limits, links, sessions, mode, useInvite } = deps
  return async (body, seen) => {
    if (mode === 'closed') throw new AppError('registration_closed', 'This service takes no new accounts.')
    const invite = body.invite === '' ? undefined : body.invite
    if (mode === 'invite' && invite === undefined) throw invalid('invite', 'required', 'is required')
    limits.countRegistration(seen.ip)
    const user = newUser(body, { id: ids(), createdAt: clock() })
    await refuseTaken(db, body)
    const passwordHash = await passwords.hash(body.password)
    const key = emailKey(body.email)
    const { secret, link } = await orTaken(() =>
      db.transaction(async tx => {
        await store.insertUser(tx, user, { emailKey: key, passwordHash })
        if (invite !== undefined && !(await useInvite(tx, invite, user.id))) {
          throw invalid('invite', 'unknown_invite', 'does not hold, or has been used up')
        }
        const session = await sessions.startSession(tx, { ...seen, userId: user.id, amr: passwordMethod })
        return { secret: session.secret, link: await links.make(tx, user, 'verify') }
      }),
    )
    limits.countMail(user.id)
    link.send()
    return { user, secret }
  }
}

/** What a new person's row holds; throws where the display name shows nothing or the username is reserved. */
export function newUser(
  body: Pick<RegisterBody, 'username' | 'displayName' | 'email'>,
  { id, createdAt }: { id: string; createdAt: number },
): UserRecord {
  refuseReserved(body.username)
  const displayName = body.displayName === undefined ? body.username : visibleName(body.displayName)
  return {
    id,
    username: body.username,
    displayName,
    email: body.email,
    emailVerified: false,
    avatar: null,
    bot: false,
    createdAt,
  }
}

/** A display name without what could hide in it or turn it around. */
export function visibleName(displayName: string): string {
  const name = cleanName(displayName)
  if (name === '') throw invalid('displayName', 'too_short', 'must have a character that can be seen')
  return name
}

/** Before the costly part; that nobody comes in between, the unique indexes see to. */
async function refuseTaken(db: Database, body: Pick<RegisterBody, 'username' | 'email'>): Promise<void> {
  const names = { username: body.username, emailKey: emailKey(body.email), exceptId: '' }
  const taken = await store.takenNames(db, names)
  if (taken.username) throw new Taken('username')
  if (taken.email) throw new Taken('email')
}
