import { join } from 'node:path'
import {
  createMfaLogin,
  createSecondFactorSettings,
  sweepSecondFactors,
} from './accounts/second-factor/index.ts'
import { passkeyRoutes } from './accounts/second-factor/passkey-routes.ts'
import { recoveryCodesRoute } from './accounts/second-factor/recovery-code-routes.ts'
import { scriptRoute } from './accounts/second-factor/script-routes.ts'
import { secondFactorsRoute } from './accounts/second-factor/second-factor-routes.ts'
import { totpRoutes } from './accounts/second-factor/totp-routes.ts'
import { createSessions, type Sessions } from './accounts/sessions/index.ts'
import { logoutRoute } from './accounts/sessions/logout-routes.ts'
import { sessionRoutes } from './accounts/sessions/session-routes.ts'
import {
  createPasswords,
  createUserByOperator,
  createUsers,
  findUser,
  resetPasswordByOperator,
  resetSecondFactorByOperator,
  sweepUsers,
  type UserRecord,
  type Users,
} from './accounts/users/index.ts'
import { signInPageRoutes, userRoutes } from './accounts/users/routes-index.ts'
import { channelRoutes } from './community/channels/channel-routes.ts'
import { createChannels, createDirectMessages, createOverwrites } from './community/channels/index.ts'
import { overwriteRoutes } from './community/channels/overwrite-routes.ts'
import { sweepDeletions } from './community/deletions.ts'
import { createInviteLimits, createInvites } from './community/invites/index.ts'
import { inviteRoutes } from './community/invites/invite-routes.ts'
import { banRoutes } from './community/members/ban-routes.ts'
import { createBans, createMembers, type Members } from './community/members/index.ts'
import { memberRoleRoutes } from './community/members/member-role-routes.ts'
import { memberRoutes } from './community/members/member-routes.ts'
import {
  createMessageRepository,
  createMessages,
  type MessageRepository,
} from './community/messages/index.ts'
import { messageRoutes } from './community/messages/message-routes.ts'
import { createReadStates } from './community/read-state/index.ts'
import { readRoutes } from './community/read-state/read-state-routes.ts'
import { createRoles } from './community/roles/index.ts'
import { roleRoutes } from './community/roles/role-routes.ts'
import { createServers } from './community/servers/index.ts'
import { serverIconRoutes } from './community/servers/server-icon-routes.ts'
import { serverRoutes } from './community/servers/server-routes.ts'
import type { Core, Module, Overrides } from './core.ts'
import { imageRoutes } from './images/image-routes.ts'
import {
  createMediaProxy,
  createPictureCache,
  createProxyUrls,
  type ProxyUrls,
} from './images/media-proxy/index.ts'
import { mediaProxyRoute } from './images/media-proxy/media-proxy-routes.ts'
import type { Outgoing } from './outgoing/index.ts'

export interface Platform {
  proxyUrls: ProxyUrls
  users: Users
  sessions: Sessions
  members: Members
  messages: MessageRepository
  operator: AccountOperator
}

type Account = Pick<UserRecord, 'id' | 'username'>

/** The operations on accounts for the command line. */
export interface AccountOperator {
  createUser(body: Parameters<typeof createUserByOperator>[1]): Promise<Account>
  resetPassword(reset: { login: string; password: string }): Promise<Account>
  resetSecondFactor(account: { login: string }): Promise<Account>
}

/** Users and their sign-in, servers, channels, roles, members and messages. */
export function createPlatformModule(
  core: Core,
  { passwordCosts, outgoing }: Pick<Overrides, 'passwordCosts'> & { outgoing: Pick<Outgoing, 'get'> },
): Module<Platform> {
  const { config, db, clock } = core
  const { baseUrl } = config

  const roles = createRoles(core)
  const overwrites = createOverwrites(core)
  const members = createMembers({ ...core, roles, deleteOverwrites: overwrites.deleteOverwritesOfMember })
  const invites = createInvites({ ...core, members, mayRegister: config.registration !== 'closed' })

  const sessions = createSessions({ ...core, baseUrl })
  const passwords = createPasswords(passwordCosts)
  const mfaLogin = createMfaLogin({ ...core, baseUrl, findUser })
  const users = createUsers({
    ...core,
    baseUrl,
    registration: config.registration,
    requireVerifiedEmail: config.requireVerifiedEmail,
    sessions,
    mfaLogin,
    passwords,
    onError: err => core.logger.error({ err }, 'a background task of the accounts failed'),
  })
  core.onClose(() => users.idle())
  const settings = createSecondFactorSettings({
    ...core,
    baseUrl,
    findUser,
    sessions,
    proofs: users.proofs,
  })

  const { requireVerified } = users
  const channels = createChannels(core)
  const directMessages = createDirectMessages(core)
  const servers = createServers({ ...core, roles, channels, members, requireVerified })
  const proxyUrls = createProxyUrls(core.secretKey)
  const cache = createPictureCache({
    clock,
    folder: join(config.mediaCacheDir ?? join(config.dataDir, 'media-cache'), 'gatehouse-pictures'),
    maxBytes: config.mediaCacheMebibytes * 1024 ** 2,
    onError: err => core.logger.error({ err }, 'the cache of external pictures failed'),
  })
  const mediaProxy = createMediaProxy({ ...core, outgoing, cache, proxyUrls })
  const messageRepository = createMessageRepository({ ...core, proxyUrls })
  const messages = createMessages({ ...core, repository: messageRepository, requireVerified })
  const bans = createBans({
    ...core,
    members,
    deleteMessagesOf: (serverId, authorId, since) =>
      messageRepository.deleteMessagesOf({ serverId, authorId, since }),
  })
  const readStates = createReadStates(core)

  return {
    api: {
      proxyUrls,
      users,
      sessions,
      members,
      messages: messageRepository,
      operator: {
        createUser: body => createUserByOperator({ ...core, passwords }, body),
        resetPassword: reset => resetPasswordByOperator({ ...core, passwords, sessions }, reset),
        resetSecondFactor: account => resetSecondFactorByOperator({ db, mfaLogin }, account),
      },
    },
    routes: [
      ...userRoutes({ db, users, sessions, baseUrl }),
      logoutRoute({ db, sessions }),
      ...sessionRoutes({ db, sessions, baseUrl }),
      secondFactorsRoute({ settings }),
      ...totpRoutes({ settings }),
      ...passkeyRoutes({ settings }),
      recoveryCodesRoute({ settings }),
      scriptRoute(),
      ...imageRoutes({ db }),
      mediaProxyRoute({ mediaProxy }),
      ...serverRoutes({ db, servers }),
      ...serverIconRoutes({ servers }),
      ...channelRoutes({ channels, directMessages }),
      ...overwriteRoutes({ overwrites }),
      ...roleRoutes({ roles }),
      ...memberRoutes({ members }),
      ...memberRoleRoutes({ members }),
      ...banRoutes({ bans }),
      ...inviteRoutes({ invites, limits: createInviteLimits(core.rateLimiter) }),
      ...messageRoutes({ messages }),
      ...readRoutes({ readStates }),
    ],
    sweeps: [
      () => sweepDeletions(core),
      () => sweepUsers(db, clock),
      () => sweepSecondFactors(db, clock),
      invites.sweep,
    ],
    subscribers: [
      {
        name: 'second-factor',
        handlers: { PasswordChanged: (tx, { userId }) => mfaLogin.revokeMfaTickets(tx, userId) },
      },
      {
        name: 'invites',
        handlers: {
          RegistrationRequested: (tx, { invite }) => invites.onRegistrationRequested(tx, invite),
          UserRegistered: (tx, { invite, userId }) => invites.onUserRegistered(tx, invite, userId),
        },
      },
      {
        name: 'members',
        handlers: { ProfileChanged: (tx, { user }) => members.publishProfile(tx, user) },
      },
      {
        name: 'direct-messages',
        handlers: { ProfileChanged: (tx, { user }) => directMessages.publishProfile(tx, user) },
      },
    ],
  }
}

interface SignInPagesDeps {
  platform: Pick<Platform, 'users' | 'sessions'>
  /** The origins that a sign-in may redirect to when it returns to `path`, for `form-action` in the page's CSP. */
  formTargets: (path: string) => Promise<readonly string[]>
}

/** The sign-in pages are a separate module, because their `form-action` depends on the OAuth module. */
export function createSignInPagesModule(
  core: Core,
  { platform, formTargets }: SignInPagesDeps,
): Module<null> {
  const { db, pages, formTokens } = core
  const { users, sessions } = platform
  const { baseUrl } = core.config
  return {
    api: null,
    routes: signInPageRoutes({ db, users, sessions, pages, formTokens, baseUrl, formTargets }),
  }
}
