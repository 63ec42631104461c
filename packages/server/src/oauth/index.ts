// Owns OAuth 2.0 and OpenID Connect: the authorization endpoint with the consent page, codes, tokens and their
// revocation, userinfo, introspection, signing keys, discovery, logout, and the list of authorized applications.
// Does not own: applications and their secrets (applications/), users, sessions and the sign-in pages (accounts/).
export {
  canOpenSigningKeys,
  keysMaxAge,
  listSigningKeyStates,
  replaceUnreadableSigningKeys,
  rotateSigningKeys,
  type SigningKeyState,
  withdrawSigningKey,
} from './signing-keys.ts'
