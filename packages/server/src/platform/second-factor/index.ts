// Owns what a person signs in with beside the password: passkeys, the authenticator app, recovery codes, the wait between
// password and second factor, how each is proved, added and removed, and the script that asks the browser for a passkey.
// Does not own: passwords and the pages of the sign-in (users/), the sessions that a sign-in begins (sessions/).
export { createFactors, type Factors } from './factors.ts'
export { isMultiFactor } from './methods.ts'
export { createSecondFactor, type HalfSignIn, type Proof, type SecondFactor } from './second-factor.ts'
