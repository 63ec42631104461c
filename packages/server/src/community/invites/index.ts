// Owns invites: their codes, lifetimes and numbers of uses, and joining a server with one.
// Does not own: members (members/); registration (accounts/users/), to whose domain events it subscribes.

export { createInviteLimits, type InviteLimits } from './invite-limits.ts'
export { createInvites, type Invites, inviteCode } from './invites.ts'
