// Owns the end of a sign-in: a person sent here by an application to sign out (OpenID Connect RP-Initiated Logout), and the
// applications that are told when a session ends (OpenID Connect Back-Channel Logout).
// Does not own: the sessions themselves (platform/sessions), tokens, which outlive them (D13).
export { type BackChannel, createBackChannel, type Untold } from './back-channel.ts'
export { confirmLogout, type LogoutOutcome, startLogout } from './logout.ts'
export { signLogoutToken } from './logout-token.ts'
export { partiesOf, sidFor, signedInWith } from './parties.ts'
export { sweepSignIns } from './store.ts'
