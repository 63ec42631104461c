// Owns the members of servers: adding users and bots (sign-in/bot-installation), removing them, and the roles of a member.
// Does not own: the roles (roles/), invites (invites/), applications.
export { createMembers, isMember, type Members, type NewBot } from './members.ts'
export { countHumanMembers, findMemberIds, haveMutualServer, listRoleIdsByServer } from './store.ts'
