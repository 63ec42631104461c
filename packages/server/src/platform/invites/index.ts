// Owns the invites: who makes one, how often and how long it holds, and the joining of people by it.
// Does not own: membership (members/), registration (users/), which asks here whether a code lets somebody in.
export { createInvites, type Invites } from './invites.ts'
