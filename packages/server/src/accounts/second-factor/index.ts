// Owns second factors: passkeys, TOTP, recovery codes, how users add and remove them, their verification at login,
// sign-in with a passkey without a password, and the script of the sign-in pages that uses WebAuthn.
// Does not own: passwords (passwords/), the sign-in pages (sign-in-pages/), and the sessions that a login creates
// (sessions/).
export { isMultiFactor } from './amr.ts'
export {
  createMfaLogin,
  type MfaLogin,
  type MfaTicket,
  sweepSecondFactors,
} from './mfa-login.ts'
export { createProofs, type Proofs } from './proofs.ts'
export type { FactorResponse } from './second-factor-deps.ts'
export { createSecondFactorSettings, type SecondFactorSettings } from './second-factors.ts'
