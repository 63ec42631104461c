// Owns the roles of a server: @everyone (community/everyone-role), roles created by members
// (community/permission-hierarchy), and the managed role of each bot (sign-in/bot-installation).
// Does not own: which member has a role (members/), the permissions in a channel (permissions/).

export { findRole, findRoleIds, listRoles, type RoleRecord } from './role-store.ts'
export { createRoles, findRoles, listServerRoles, type Roles } from './roles.ts'
