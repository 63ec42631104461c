import type { RegisterBody } from '@gatehouse/protocol/users'
import { type AppError, invalid } from '../../errors/app-error.ts'
import { LocalizedError } from '../../errors/localized-error.ts'
import type { Transaction } from '../../storage/database.ts'
import { rejectCommonPassword } from '../passwords/common-passwords.ts'
import type { AccountDeps } from './account-deps.ts'
import { type LoginRequest, type LoginResult, passwordAmr } from './login.ts'
import { mapUniqueViolations, rejectReservedUsername, rejectTakenFields } from './unique-fields.ts'
import { emailKey } from './user.ts'
import * as store from './user-store.ts'

export type RegistrationMode = 'open' | 'invite' | 'closed'

export interface RegistrationOptions {
  mode: RegistrationMode
  /** Does not use it. */
  isInviteUsable: (code: string) => Promise<boolean>
  /** Uses an invite for the new account, in the same transaction. Returns false if the code is invalid. */
  useInvite: (tx: Transaction, code: string, userId: string) => Promise<boolean>
}

export function createRegistration(
  { db, clock, ids, passwords, limits, mailTokens, sessions }: AccountDeps,
  { mode, isInviteUsable, useInvite }: RegistrationOptions,
) {
  return {
    registrationMode: mode,

    /**
     * Creates an account and signs it in. The session of another user in this browser is revoked. Throws
     * `registration_closed`, `conflict` (FieldTakenError), `validation_failed` at `invite` or `password`, or `rate_limited`.
     */
    async register(body: RegisterBody, { currentSession, ...request }: LoginRequest): Promise<LoginResult> {
      if (mode === 'closed') throw new LocalizedError('registration_closed', 'error.registration_closed')
      const invite = body.invite === '' ? undefined : body.invite
      if (mode === 'invite' && invite === undefined) throw invalid('invite', 'required', 'is required')
      await rejectCommonPassword(body.password, body)
      await limits.countRegistration(request.ip)
      // Before the names: who has no invite does not learn which names and addresses exist (community/invite-first).
      if (invite !== undefined && !(await isInviteUsable(invite))) throw unknownInvite()
      const user = newUser(body, { id: ids(), createdAt: clock() })
      await rejectTakenFields(db, clock, body)
      const passwordHash = await passwords.hash(body.password)
      const { secret } = await mapUniqueViolations(() =>
        db.transaction(async tx => {
          await store.insertUser(tx, user, { emailKey: emailKey(body.email), passwordHash })
          // Before the server of the invite is locked: a consent that adds a bot locks the session first, too.
          if (currentSession) await sessions.revokeSession(tx, currentSession.sessionId)
          // The throw rolls back the new account.
          if (invite !== undefined && !(await useInvite(tx, invite, user.id))) throw unknownInvite()
          await mailTokens.sendMailToken(tx, user, 'verify', request.locale)
          return sessions.createSession(tx, { ...request, userId: user.id, amr: passwordAmr })
        }),
      )
      // The first mail counts towards the limit, but is always sent.
      await limits.countMail(user.id)
      return { user, secret }
    },
  }
}

function unknownInvite(): AppError {
  return invalid('invite', 'unknown_invite', 'is invalid, has expired or has no uses left')
}

/** Throws FieldTakenError for a reserved username. */
export function newUser(
  body: Pick<RegisterBody, 'username' | 'displayName' | 'email'>,
  { id, createdAt }: { id: string; createdAt: number },
): store.UserRecord {
  rejectReservedUsername(body.username)
  return {
    id,
    username: body.username,
    displayName: body.displayName ?? body.username,
    email: body.email,
    emailVerified: false,
    avatar: null,
    bot: false,
    createdAt,
  }
}
