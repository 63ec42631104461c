import type { Static, TSchema, TUnsafe } from 'typebox'
import { oauthErrorCodes } from './errors.ts'
import * as limits from './limits.ts'
import { closed, OneOf, ShownAs, Unchecked } from './schema.ts'
import { Type } from './type.ts'

/** The token response (RFC 6749 §5.1). */
export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    refresh_token: Type.String({ description: 'Single use.' }),
    token_type: OneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String({ description: 'Granted scopes, space separated.' }),
    id_token: Type.Optional(Type.String({ description: 'With scope openid.' })),
  },
  closed('The issued tokens (RFC 6749 §5.1).'),
)
export type TokenResponse = Static<typeof TokenResponse>

/** `POST /api/oauth2/token/revoke` → 200, whatever the token is. */
export const EmptyObject = Type.Object({}, closed('An empty object.'))
export type EmptyObject = Static<typeof EmptyObject>

const profileClaims = {
  preferred_username: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String({ description: 'An absolute URL.' })),
  email: Type.Optional(Type.String({ description: 'With scope email.' })),
  email_verified: Type.Optional(Type.Boolean({ description: 'With scope email.' })),
}

/** `GET · POST /api/oauth2/userinfo` (sign-in/userinfo-scope): claims without a value are omitted, never null. */
export const UserInfo = Type.Object(
  { sub: Type.String(), ...profileClaims },
  closed('The claims of the user of the token.'),
)
export type UserInfo = Static<typeof UserInfo>

/** The claims of an id_token (sign-in/id-token-claims). Times in seconds. */
export interface IdTokenClaims {
  iss: string
  sub: string
  aud: string
  iat: number
  exp: number
  auth_time: number
  at_hash: string
  /** Whether a second factor was used: one of `acr_values_supported`. */
  acr: string
  /** The authentication methods of the user (RFC 8176). */
  amr: string[]
  nonce?: string
  /** The session, for an application with a `backchannelLogoutUri`. */
  sid?: string
  preferred_username: string
  name: string
  picture: string
  email?: string
  email_verified?: boolean
}

/** `POST /api/oauth2/introspect` (RFC 7662 §2.2). For a token that is not active only `{"active":false}` (sign-in/introspection). */
export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    token_type: Type.Optional(OneOf(['Bearer'])),
    exp: Type.Optional(Type.Integer()),
    iat: Type.Optional(Type.Integer()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
  },
  closed('The state of a token (RFC 7662 §2.2).'),
)
export type Introspection = Static<typeof Introspection>

/** A public signing key (RFC 7517 §4, RFC 7518 §6.3.1). */
export const PublicKey = Type.Object(
  {
    kty: OneOf(['RSA']),
    use: OneOf(['sig']),
    alg: OneOf(['RS256']),
    kid: Type.String(),
    n: Type.String(),
    e: Type.String(),
  },
  closed('A public signing key.'),
)
export type PublicKey = Static<typeof PublicKey>

/** `GET /api/oauth2/keys`. */
export const KeySet = Type.Object({ keys: Type.Array(PublicKey) }, closed('The keys that verify id_tokens.'))
export type KeySet = Static<typeof KeySet>

const Texts = Type.Array(Type.String())

/**
 * Both discovery documents (OpenID Connect Discovery §3, RFC 8414 §2, RFC 9207 §3, RP-Initiated Logout §2.1, Back-Channel
 * Logout §2.1).
 */
export const Discovery = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    jwks_uri: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    end_session_endpoint: Type.String(),
    scopes_supported: Texts,
    response_types_supported: Texts,
    response_modes_supported: Texts,
    grant_types_supported: Texts,
    subject_types_supported: Texts,
    id_token_signing_alg_values_supported: Texts,
    token_endpoint_auth_methods_supported: Texts,
    revocation_endpoint_auth_methods_supported: Texts,
    introspection_endpoint_auth_methods_supported: Texts,
    code_challenge_methods_supported: Texts,
    claims_supported: Texts,
    claim_types_supported: Texts,
    prompt_values_supported: Texts,
    acr_values_supported: Texts,
    display_values_supported: Type.Optional(Texts),
    ui_locales_supported: Type.Optional(Texts),
    service_documentation: Type.Optional(Type.String()),
    claims_parameter_supported: Type.Boolean(),
    request_parameter_supported: Type.Boolean(),
    request_uri_parameter_supported: Type.Boolean(),
    require_request_uri_registration: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    backchannel_logout_supported: Type.Boolean(),
    backchannel_logout_session_supported: Type.Boolean(),
  },
  closed('The endpoints and features of the authorization server.'),
)
export type Discovery = Static<typeof Discovery>

/**
 * Parameters that the validator accepts with any value. The endpoint rejects repeated, empty and unknown ones itself, with the
 * errors of the standards and, at the authorization endpoint, in their order (sign-in/errors-without-redirect). The API document
 * shows `parameters`.
 */
function Parameters(
  parameters: Readonly<Record<string, TSchema & { description?: string }>>,
  options: { description: string },
): TUnsafe<unknown> {
  const accepted = Object.entries(parameters).map(([name, schema]) => [
    name,
    Type.Optional(Unchecked(schema)),
  ])
  return ShownAs(Type.Object(Object.fromEntries(accepted), options), Type.Object(parameters, options))
}

function text(description: string): TSchema {
  return Type.String({ maxLength: maxParameter, description })
}

/** A query with all parameters fits the header limit of Node.js. */
const maxParameter = 8192

function parameter(description: string): TSchema {
  return Type.Optional(text(description))
}

const Address = (description: string) =>
  Type.Optional(Type.String({ format: 'uri', maxLength: limits.maxRedirectUriLength, description }))

/** Parameters of `GET · POST /oauth2/authorize` (sign-in/openid-connect-request-parameters, sign-in/bot-installation), for the reference. */
export const AuthorizeParameters = Parameters(
  {
    client_id: text('Application id.'),
    redirect_uri: Address('One of the registered URIs; may be omitted if exactly one is registered.'),
    response_type: OneOf(['code'], { description: 'The only type.' }),
    scope: parameter('Scopes separated by a space.'),
    state: parameter('Returned unchanged.'),
    code_challenge: parameter('BASE64URL(SHA-256(code_verifier)); required for apps without a secret.'),
    code_challenge_method: Type.Optional(OneOf(['S256'], { description: 'The only method.' })),
    nonce: parameter('With openid; a claim of the id_token.'),
    permissions: parameter('With scope bot: the bit field of permissions as a decimal string.'),
    server_id: parameter('With scope bot: the server to preselect.'),
    prompt: parameter('none, login, consent or select_account.'),
    max_age: parameter('The maximum number of seconds since the user signed in.'),
    login_hint: parameter('The username or email of the user who is expected to sign in.'),
    id_token_hint: parameter('An ID token of the user who is expected to be signed in.'),
    display: parameter('Accepted without effect.'),
    ui_locales: parameter('Languages of the pages: BCP 47 tags separated by spaces.'),
    claims_locales: parameter('Accepted without effect.'),
    acr_values: parameter('Accepted without effect.'),
  },
  { description: 'RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1.' },
)

/** Parameters of `GET · POST /oauth2/logout` (OpenID Connect RP-Initiated Logout §2), for the reference. */
export const LogoutParameters = Parameters(
  {
    id_token_hint: parameter('An id_token of the user; it may be expired.'),
    logout_hint: parameter('Accepted without effect.'),
    client_id: parameter('Application id; required without id_token_hint.'),
    post_logout_redirect_uri: Address('One of the registered post-logout redirect URIs.'),
    state: parameter('Returned unchanged.'),
    ui_locales: parameter('Languages of the pages: BCP 47 tags separated by spaces.'),
  },
  { description: 'OpenID Connect RP-Initiated Logout §2.' },
)

const clientParameters = {
  client_id: parameter('Application id; or in the Authorization header.'),
  client_secret: parameter('The secret of a confidential client; or in the Authorization header.'),
}

/** Body of `POST /api/oauth2/token`, for the reference. */
export const TokenParameters = Parameters(
  {
    grant_type: OneOf(['authorization_code', 'refresh_token'], { description: 'What is exchanged.' }),
    code: parameter('The code from the redirect.'),
    redirect_uri: Address('The URI used in the authorization request.'),
    ...clientParameters,
    code_verifier: Type.Optional(
      Type.String({
        minLength: limits.minCodeVerifier,
        maxLength: limits.maxCodeVerifier,
        description: 'RFC 7636 §4.1.',
      }),
    ),
    refresh_token: parameter('The current refresh token.'),
    scope: parameter('With refresh_token: some of the granted scopes.'),
  },
  { description: 'RFC 6749 §4.1.3 and §6, RFC 7636 §4.5.' },
)

/** Body of `POST /api/oauth2/userinfo`, for the reference. */
export const UserInfoParameters = Parameters(
  { access_token: parameter('The access token, unless the Authorization header has it.') },
  { description: 'RFC 6750 §2.2.' },
)

const token = {
  token: text('An access or refresh token.'),
}

/** Body of `POST /api/oauth2/token/revoke`, for the reference. */
export const TokenParameter = Parameters(
  {
    ...token,
    token_type_hint: parameter('access_token or refresh_token; a wrong hint has no effect.'),
  },
  { description: 'RFC 7009 §2.1.' },
)

/** Body of `POST /api/oauth2/introspect`, for the reference. */
export const IntrospectParameters = Parameters(
  { ...token, ...clientParameters },
  { description: 'RFC 7662 §2.1. The client authenticates in the Authorization header or in the body.' },
)

/** The parameters of an error response of the authorization endpoint (RFC 6749 §4.1.2.1, RFC 9207 §2). */
export const AuthorizeError = Type.Object(
  {
    error: OneOf(oauthErrorCodes),
    error_description: Type.String(),
    state: Type.Optional(Type.String()),
    iss: Type.String(),
  },
  closed('Authorization was denied or failed.'),
)
export type AuthorizeError = Static<typeof AuthorizeError>
