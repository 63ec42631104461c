// Owns the reads of members, roles and permission overwrites that decide what a user may do, and the errors if they may
// not (community/permission-hierarchy). It also declares the records of servers, channels and members, because every
// other folder of the platform imports this one. The rules themselves are in protocol/permissions.ts and
// protocol/role-order.ts. Does not own: changes to those records (servers/, channels/, roles/, members/).
export {
  afterMemberTimeOuts,
  canMentionEveryone,
  canViewChannel,
  endOfMemberTimeOut,
  findChannelAccess,
  findServerAccess,
  listVisibleChannelIds,
  parsePermissionBits,
  requireActiveMember,
  requireChannel,
  requirePermissions,
  requireReportPermission,
  requireServer,
} from './access.ts'
export {
  isManageableMember,
  requireGrantable,
  requireKeptPlaces,
  requireManageableMember,
  requireManageableRole,
} from './hierarchy.ts'
export {
  type ChannelAccess,
  type ChannelRecord,
  type MemberRecord,
  type ServerAccess,
  type ServerRecord,
  toChannelRecord,
  toServer,
} from './permission-records.ts'
export { lockServerRow } from './permission-store.ts'
export {
  filterViewers,
  findOpenChannelId,
  listChannelIdsWith,
  listPossibleViewers,
  listReportViewerIds,
  readChannelVisibility,
} from './visibility.ts'
