// Owns invites: their codes, lifetimes and numbers of uses, and joining a server with one.
// Does not own: members (members/); registration (users/), which calls `useInvite` for the code in its form.

export { createInviteLimits, type InviteLimits } from './invite-limits.ts'
export { createInvites, type Invites } from './invites.ts'
