// Owns servers: creating one with its first role, channel and member, its name, its icon, its transfer to another
// owner, and deleting it.
// Does not own: members (members/, invites/), channels, roles, installed applications.

export {
  createOwnershipTransfers,
  type OwnershipTransfers,
  requireOwnerOrOffered,
} from './ownership-transfers.ts'
export { createServerStates, type ServerStates } from './server-states.ts'
export { type AnyServer, countServersOfUser, findServer, listServersOfUser } from './server-store.ts'
export { createServers, listUserServers, requireOwner, type Servers } from './servers.ts'
