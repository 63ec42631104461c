// Owns the authorization endpoint (RFC 6749 §3.1): one file a check, `request.ts` puts them in their order,
// `authorize.ts` decides what comes next: a redirect, the sign-in page, the consent page.
// Does not own: what is remembered of consents (consent.ts), the exchange of codes (grants/), the pages' looks (pages/).
export { authorize, checkLength, decide } from './authorize.ts'
export { formActionsOf } from './form-action.ts'
export type { AuthorizeDeps, ConsentScreen, Decision, Outcome } from './outcome.ts'
export { dead } from './refusal.ts'
export { signInPath } from './sign-in.ts'
