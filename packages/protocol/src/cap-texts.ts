import type { CapName } from './limits.ts'

/**
 * The English messages of the error `limit_reached`, which the server's pages and the web client show (limits/caps).
 */
export const capTexts = {
  'limit.servers': 'A user is a member of at most {max} servers.',
  'limit.ownedServers': 'A user owns at most {max} servers.',
  'limit.channels': 'A server has at most {max} channels.',
  'limit.roles': 'A server has at most {max} roles.',
  'limit.overwrites': 'A channel has permission overwrites for at most {max} roles and members.',
  'limit.serverOverwrites': 'The channels of a server have at most {max} permission overwrites together.',
  'limit.commandOverrides': 'The commands of a server have at most {max} overrides together.',
  'limit.applications': 'A user has at most {max} applications.',
  'limit.invites': 'A server has at most {max} valid invites.',
  'limit.blocks': 'A user blocks at most {max} users and bots.',
  'limit.openReports': 'A user has at most {max} open reports on a server, and as many of direct messages.',
  'limit.imageMebibytes': 'The images that a user uploaded have at most {max} MiB together.',
  'limit.formerUsernames': 'A user gives up at most {max} usernames in 90 days.',
} as const satisfies Record<`limit.${CapName}`, string>
