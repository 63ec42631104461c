// Who may do what where: reads members, roles and overwrites of the database together and computes the permissions from
// them, in the order of the contract; the hierarchy of roles (D64). The records of servers, channels and members that
// the other folders of the community share stand here too, because this one lies below them.
// What changes those records is for servers/, channels/, roles/ and members/.
export { access, mayView, requireChannel, requireServer, serverAccess, visibleChannels } from './access.ts'
export { type Audience, audience } from './audience.ts'
export {
  type AllowDeny,
  computePermissions,
  type Grant,
  type Standing,
} from './compute.ts'
export { requireAbove, requireHeld, requireReach } from './hierarchy.ts'
export {
  type Access,
  type ChannelRecord,
  type MemberRecord,
  type RoleRank,
  type ServerAccess,
  type ServerRecord,
  serverView,
} from './records.ts'
