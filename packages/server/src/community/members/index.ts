// Owns the members of servers: adding users and bots (sign-in/bot-installation), removing them, the roles of a member,
// time-outs and bans.
// Does not own: the roles (roles/), invites (invites/), applications.
export { type Bans, createBans } from './bans.ts'
export {
  countHumanMembers,
  countMembers,
  haveMutualServer,
  listRoleIdsByServer,
  lockMember,
  lockMemberAndRoles,
} from './member-store.ts'
export {
  createMembers,
  findMembers,
  isMember,
  listServerMembers,
  type Members,
  type NewBot,
} from './members.ts'
