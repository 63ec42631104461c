// The proof of the user's identity before an act that needs one.
export { browserName } from './browser-name.ts'
export {
  IdentityConfirmationProvider,
  type Proof,
  useIdentityConfirmation,
} from './identity-confirmation.tsx'
export { useSecondFactors } from './second-factors.ts'
