// Owns the roles of a server: @everyone, those that people make, the managed ones of bots (D23, D58, D64).
// Does not own: who has a role (members/), what follows from roles in a channel (permissions/).
export { createRoles, findRole, findRoleIds, listBotIds, type RoleRecord, type Roles } from './roles.ts'
