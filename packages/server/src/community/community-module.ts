// Owns servers with their channels, roles, members, bans and invites, direct messages, messages, read states, blocks,
// and reports.
// Does not own: accounts, applications, webhooks, interactions, and the delivery of events to clients (gateway/).
import type { SecurityLog } from '../accounts/security-log/index.ts'
import type { Users } from '../accounts/users/index.ts'
import type { Module } from '../events/module.ts'
import type { Logger } from '../http/log.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import type { InstanceSettings } from '../instance/index.ts'
import type { OnClose } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { DeletionRegistry } from '../storage/deletion-registry.ts'
import { blockRoutes } from './blocks/block-routes.ts'
import { createBlocks } from './blocks/index.ts'
import { channelRoutes } from './channels/channel-routes.ts'
import {
  createChannelMoves,
  createChannels,
  createDirectMessages,
  createOverwrites,
} from './channels/index.ts'
import { overwriteRoutes } from './channels/overwrite-routes.ts'
import type { Deps } from './community-deps.ts'
import { sweepDeletions } from './deletions.ts'
import { createInviteLimits, createInvites, type Invites } from './invites/index.ts'
import { inviteRoutes } from './invites/invite-routes.ts'
import { banRoutes } from './members/ban-routes.ts'
import { createBans, createMembers, type Members } from './members/index.ts'
import { memberRoleRoutes } from './members/member-role-routes.ts'
import { memberRoutes } from './members/member-routes.ts'
import {
  createMessageDeletions,
  createMessageRepository,
  createMessages,
  type MessageRepository,
  type Messages,
  sweepTurns,
} from './messages/index.ts'
import { messageRoutes } from './messages/message-routes.ts'
import { createReadStates } from './read-state/index.ts'
import { readStateRoutes } from './read-state/read-state-routes.ts'
import { createReportQueue, createReports, type ReportQueue } from './reports/index.ts'
import { reportRoutes } from './reports/report-routes.ts'
import { createRoles } from './roles/index.ts'
import { roleRoutes } from './roles/role-routes.ts'
import { auditLogRoutes } from './servers/audit-log-routes.ts'
import {
  createOwnershipTransfers,
  createServerStates,
  createServers,
  type ServerStates,
} from './servers/index.ts'
import { ownershipTransferRoutes } from './servers/ownership-transfer-routes.ts'
import { serverIconRoutes } from './servers/server-icon-routes.ts'
import { serverRoutes } from './servers/server-routes.ts'

interface CommunityDeps extends Deps, Pick<Users, 'requireVerified' | 'confirmPassword' | 'proofs'> {
  securityLog: Pick<SecurityLog, 'record'>
  rateLimiter: RateLimiter
  deletions: Pick<DeletionRegistry, 'of'>
  proxyUrls: Pick<ProxyUrls, 'addTo'>
  instance: Pick<InstanceSettings, 'read'>
  logger: Pick<Logger, 'error'>
  onClose: OnClose
}

interface Community {
  members: Members
  messages: MessageRepository
  deleteMessages: Messages['deleteMessages']
  revokeInvite: Invites['revokeInvite']
  reports: ReportQueue
  serverStates: ServerStates
}

export function createCommunityModule(deps: CommunityDeps): Module<Community> {
  const { db } = deps
  const roles = createRoles(deps)
  const overwrites = createOverwrites(deps)
  const members = createMembers({ ...deps, roles, deleteOverwrites: overwrites.deleteOverwritesOfMember })
  const invites = createInvites({ ...deps, members })
  const channels = createChannels(deps)
  const directMessages = createDirectMessages(deps)
  const servers = createServers({ ...deps, roles, channels, members })
  const transfers = createOwnershipTransfers(deps)
  const repository = createMessageRepository(deps)
  const messages = createMessages({ ...deps, repository })
  const messageDeletions = createMessageDeletions({
    ...deps,
    repository,
    onError: err => deps.logger.error({ err }, 'the deletion of messages of banned users was interrupted'),
  })
  const bans = createBans({
    ...deps,
    members,
    deleteMessagesOf: (serverId, userId, since) =>
      repository.deleteMessagesOf({ serverId, authorIds: new Set([userId]), since }),
    messageDeletions,
  })
  const readStates = createReadStates(deps)
  const blocks = createBlocks(deps)
  const queue = createReportQueue({ ...deps, messages: repository })
  const reports = createReports({ ...deps, messages: repository, queue })
  return {
    api: {
      members,
      messages: repository,
      deleteMessages: messages.deleteMessages,
      revokeInvite: invites.revokeInvite,
      reports: queue,
      serverStates: createServerStates({ ...deps, members }),
    },
    routes: [
      ...serverRoutes({ db, servers }),
      ...serverIconRoutes({ servers }),
      ...auditLogRoutes({ servers }),
      ...ownershipTransferRoutes({ transfers }),
      ...channelRoutes({ channels, moves: createChannelMoves(deps), directMessages }),
      ...overwriteRoutes({ overwrites }),
      ...roleRoutes({ roles }),
      ...memberRoutes({ members }),
      ...memberRoleRoutes({ members }),
      ...banRoutes({ bans }),
      ...inviteRoutes({ invites, limits: createInviteLimits(deps.rateLimiter) }),
      ...messageRoutes({ messages }),
      ...readStateRoutes({ readStates }),
      ...blockRoutes({ blocks }),
      ...reportRoutes({ reports }),
    ],
    sweeps: [
      () => sweepDeletions(deps),
      invites.sweep,
      () => sweepTurns(db, deps.clock()),
      queue.sweep,
      messageDeletions.sweep,
    ],
    subscribers: [
      {
        name: 'invites',
        handlers: {
          RegistrationRequested: (tx, { invite }) => invites.onRegistrationRequested(tx, invite),
          UserRegistered: (tx, { invite, userId }) => invites.onUserRegistered(tx, invite, userId),
        },
      },
      {
        name: 'ownership-transfers',
        handlers: { MemberRemoved: transfers.onMemberRemoved },
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
