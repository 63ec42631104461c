import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Mail, Mailer } from '../../mail/mailer.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import type { SecondFactor } from '../second-factor/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { createBackground } from './background.ts'
import { type BotUsers, createBotUsers } from './bots.ts'
import { createDevices, type Devices } from './devices.ts'
import { createEmailConfirmation, type EmailConfirmation } from './email.ts'
import { createForgottenPassword, type ForgottenPassword } from './forgotten-password.ts'
import { createNoLimits, createPeopleLimits } from './limits.ts'
import { createMailLinks } from './mail-links.ts'
import { createMails } from './mails.ts'
import type { Passwords } from './password.ts'
import { createProfile, type Profile } from './profile.ts'
import { createRegistration, type Register, type RegistrationMode } from './registration.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { credentialsById, findUser, findUsers } from './store.ts'
import { selfView, type UserRecord, userView } from './user.ts'

interface UsersDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toUser'>
  sessions: Sessions
  secondFactor: SecondFactor
  mailer: Pick<Mailer, 'send'>
  passwords: Passwords
  /** Marks browsers that a person has used before. */
  secretKey: Uint8Array
  baseUrl: string
  registration: RegistrationMode
  requireVerifiedEmail: boolean
  rateLimits: boolean
  /** Uses an invite up for a new account; false where the code does not hold (any more). */
  useInvite: (tx: Transaction, code: string, userId: string) => Promise<boolean>
  /** In the transaction that changes a password: what else of the person ends. */
  onPasswordChanged: (tx: Transaction, userId: string) => Promise<void>
  /** In the transaction that changes a name or a picture: who else is told. */
  onProfileChanged: (tx: Transaction, user: UserRecord) => Promise<void>
  /** Told of work behind an answer that failed. */
  report: (error: unknown) => void
}

export interface Users
  extends Omit<SignIn, 'checkCurrentPassword'>,
    Pick<SecondFactor, 'lookAtTicket' | 'passkeyOptions' | 'passkeyAloneOptions'>,
    Profile,
    EmailConfirmation,
    ForgottenPassword,
    BotUsers {
  findUser(sql: Sql, id: string): Promise<UserRecord | undefined>
  /** By id; those that do not exist are left out. */
  findUsers(sql: Sql, ids: readonly string[]): Promise<Map<string, UserRecord>>
  userView: typeof userView
  selfView: typeof selfView
  register: Register
  /** For whoever changes how they sign in. Throws `validation_failed` at `currentPassword`, or `rate_limited`. */
  confirmPassword(userId: string, currentPassword: string, attempt: { ip: string }): Promise<void>
  readonly registration: RegistrationMode
  readonly devices: Devices
  /** D49: throws `email_not_verified` where confirmed addresses are asked for and this person's is not. */
  requireVerified(sql: Sql, userId: string): Promise<void>
  /** Resolves when no work behind an answer is under way: before what it stands on is closed. */
  idle(): Promise<void>
}

export function createUsers(deps: UsersDeps): Users {
  const { db, clock, ids, sessions, secondFactor, mailer, passwords, baseUrl, events, onPasswordChanged } =
    deps
  const limits = deps.rateLimits ? createPeopleLimits(clock) : createNoLimits()
  const background = createBackground(deps.report)
  const post = (mail: Mail) => background.run(() => mailer.send(mail))
  const mails = createMails(baseUrl)
  const links = createMailLinks({ clock, mails, post })
  const signIn = createSignIn({ db, passwords, limits, sessions, secondFactor })
  const { registration: mode, useInvite } = deps
  return {
    findUser,
    findUsers,
    userView,
    selfView,
    checkPassword: signIn.checkPassword,
    signIn: signIn.signIn,
    finishSignIn: signIn.finishSignIn,
    signInByPasskey: signIn.signInByPasskey,
    lookAtTicket: secondFactor.lookAtTicket,
    passkeyOptions: secondFactor.passkeyOptions,
    passkeyAloneOptions: secondFactor.passkeyAloneOptions,
    async confirmPassword(userId, currentPassword, attempt) {
      const credentials = await credentialsById(db, userId)
      if (!credentials) throw new AppError('unauthenticated', 'The account is no longer there.')
      await signIn.checkCurrentPassword(credentials, currentPassword, attempt)
    },
    register: createRegistration({ db, clock, ids, passwords, limits, links, sessions, mode, useInvite }),
    registration: mode,
    devices: createDevices(deps.secretKey),
    ...createProfile({
      db,
      passwords,
      limits,
      links,
      mails,
      post,
      sessions,
      signIn,
      onPasswordChanged,
      events,
      onProfileChanged: deps.onProfileChanged,
    }),
    ...createEmailConfirmation({ db, limits, links, events }),
    ...createForgottenPassword({
      db,
      passwords,
      limits,
      links,
      mails,
      post,
      background,
      sessions,
      onPasswordChanged,
    }),
    ...createBotUsers({ clock, ids }),
    async requireVerified(sql, userId) {
      if (!deps.requireVerifiedEmail) return
      const user = await findUser(sql, userId)
      if (!user || user.bot || user.emailVerified) return
      throw new AppError('email_not_verified', 'Confirm your mail address first.')
    },
    idle: background.idle,
  }
}
