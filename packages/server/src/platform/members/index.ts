// Owns who is a member of which server: joining (also a bot's, D23), leaving, removal, and which roles a member has.
// Does not own: the roles (roles/), ways in for people (invites/), the applications behind bots.
export { createMembers, type Members, type NewBot } from './members.ts'
export { countMembers, findMemberIds, isMember, rolesOf, serversOf, sharesServer } from './membership.ts'
