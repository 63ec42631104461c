import type { Static, TSchema, TUnsafe } from 'typebox'
import { oauthErrorCodes } from './errors.ts'
import * as limits from './limits.ts'
import { closed, OneOf, ShownAs, Unchecked } from './schema.ts'
import { Type } from './type.ts'

const TokenType = OneOf(['Bearer'], { description: 'The type of the access token.' })

/** The token response (RFC 6749 §5.1). */
export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'The token for `Authorization: Bearer …`.' }),
    refresh_token: Type.String({ description: 'The token for the next token request; it is valid once.' }),
    token_type: TokenType,
    expires_in: Type.Integer({ description: 'The seconds until the access token expires.' }),
    scope: Type.String({ description: 'The granted scopes, separated by spaces.' }),
    id_token: Type.Optional(Type.String({ description: 'The signed ID token; with the scope `openid`.' })),
  },
  closed('The issued tokens (RFC 6749 §5.1).'),
)
export type TokenResponse = Static<typeof TokenResponse>

/** Every response of `POST /api/oauth2/token/revoke`. */
export const EmptyObject = Type.Object({}, closed('An empty object.'))
export type EmptyObject = Static<typeof EmptyObject>

const profileClaims = {
  preferred_username: Type.Optional(Type.String({ description: 'The username.' })),
  name: Type.Optional(Type.String({ description: 'The display name.' })),
  picture: Type.Optional(Type.String({ format: 'uri', description: 'The absolute URL of the avatar.' })),
  email: Type.Optional(Type.String({ description: 'The email address; with the scope `email`.' })),
  email_verified: Type.Optional(
    Type.Boolean({
      description: 'Whether the user has confirmed the email address; with the scope `email`.',
    }),
  ),
}

/** `GET · POST /api/oauth2/userinfo` (sign-in/userinfo-scope): claims without a value are omitted, never null. */
export const UserInfo = Type.Object(
  { sub: Type.String({ description: 'The id of the user.' }), ...profileClaims },
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
    active: Type.Boolean({ description: 'Whether the token is valid; the other members are absent if not.' }),
    scope: Type.Optional(Type.String({ description: 'The granted scopes, separated by spaces.' })),
    client_id: Type.Optional(Type.String({ description: 'The id of the application.' })),
    username: Type.Optional(Type.String({ description: 'The username of the user.' })),
    token_type: Type.Optional(TokenType),
    exp: Type.Optional(Type.Integer({ description: 'When the token expires, in seconds since 1970.' })),
    iat: Type.Optional(Type.Integer({ description: 'When the token was issued, in seconds since 1970.' })),
    sub: Type.Optional(Type.String({ description: 'The id of the user.' })),
    aud: Type.Optional(Type.String({ description: 'The id of the application that the token is for.' })),
    iss: Type.Optional(Type.String({ description: 'The URL of the service.' })),
  },
  closed('The state of a token (RFC 7662 §2.2).'),
)
export type Introspection = Static<typeof Introspection>

/** A public signing key (RFC 7517 §4, RFC 7518 §6.3.1). */
export const PublicKey = Type.Object(
  {
    kty: OneOf(['RSA'], { description: 'The type of the key.' }),
    use: OneOf(['sig'], { description: 'The use of the key: signatures.' }),
    alg: OneOf(['RS256'], { description: 'The algorithm.' }),
    kid: Type.String({ description: 'The id of the key, which the header of an ID token names.' }),
    n: Type.String({ description: 'The modulus.' }),
    e: Type.String({ description: 'The exponent.' }),
  },
  closed('A public signing key.'),
)
export type PublicKey = Static<typeof PublicKey>

/** `GET /api/oauth2/keys`. */
export const KeySet = Type.Object(
  { keys: Type.Array(PublicKey, { description: 'The keys.' }) },
  closed('The keys that verify id_tokens.'),
)
export type KeySet = Static<typeof KeySet>

const Texts = (description: string) => Type.Array(Type.String(), { description })
const Endpoint = (description: string) => Type.String({ format: 'uri', description })
const IsSupported = (description: string) => Type.Boolean({ description })
const clientAuthenticationMethods = Texts('How a client can authenticate.')

/**
 * Both discovery documents (OpenID Connect Discovery §3, RFC 8414 §2, RFC 9207 §3, RP-Initiated Logout §2.1, Back-Channel
 * Logout §2.1).
 */
export const Discovery = Type.Object(
  {
    issuer: Endpoint('The URL of the service, which is the `iss` of ID tokens.'),
    authorization_endpoint: Endpoint('The page where a user signs in and grants access.'),
    token_endpoint: Endpoint('The URL that exchanges codes and refresh tokens.'),
    userinfo_endpoint: Endpoint('The URL of the claims of the user.'),
    jwks_uri: Endpoint('The URL of the public signing keys.'),
    revocation_endpoint: Endpoint('The URL that revokes tokens.'),
    introspection_endpoint: Endpoint('The URL that returns the state of a token.'),
    end_session_endpoint: Endpoint('The page where a user signs out.'),
    scopes_supported: Texts('The scopes that a client can request.'),
    response_types_supported: Texts('The accepted values of `response_type`.'),
    response_modes_supported: Texts('How the response of the authorization endpoint is returned.'),
    grant_types_supported: Texts('The accepted values of `grant_type`.'),
    subject_types_supported: Texts('Whether all clients see the same id of a user.'),
    id_token_signing_alg_values_supported: Texts('The algorithms that sign ID tokens.'),
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint_auth_methods_supported: clientAuthenticationMethods,
    code_challenge_methods_supported: Texts('The accepted values of `code_challenge_method`.'),
    claims_supported: Texts('The claims that ID tokens and the claims of the user can have.'),
    claim_types_supported: Texts('The kinds of claims.'),
    prompt_values_supported: Texts('The accepted values of `prompt`.'),
    acr_values_supported: Texts('The values of the claim `acr`.'),
    display_values_supported: Type.Optional(Texts('The accepted values of `display`.')),
    ui_locales_supported: Type.Optional(Texts('The languages of the pages.')),
    service_documentation: Type.Optional(Endpoint('The URL of the documentation.')),
    claims_parameter_supported: IsSupported('Whether the parameter `claims` is supported.'),
    request_parameter_supported: IsSupported('Whether the parameter `request` is supported.'),
    request_uri_parameter_supported: IsSupported('Whether the parameter `request_uri` is supported.'),
    require_request_uri_registration: IsSupported('Whether values of `request_uri` must be registered.'),
    authorization_response_iss_parameter_supported: IsSupported(
      'Whether the redirect has the parameter `iss`.',
    ),
    backchannel_logout_supported: IsSupported('Whether the service sends back-channel logout requests.'),
    backchannel_logout_session_supported: IsSupported('Whether logout tokens have the claim `sid`.'),
  },
  closed('The endpoints and features of the authorization server.'),
)
export type Discovery = Static<typeof Discovery>

/**
 * Parameters that the validator accepts with any value. Only the body itself must be an object. The endpoint decides itself about repeated, empty and unknown ones, with
 * the errors of the standards and, at the authorization endpoint, in their order (sign-in/errors-without-redirect). The API
 * document shows `parameters`.
 */
function UncheckedParameters(
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
  return Type.String({ maxLength: limits.maxStateBytes, description })
}

function parameter(description: string): TSchema {
  return Type.Optional(text(description))
}

const Address = (description: string) =>
  Type.Optional(Type.String({ format: 'uri', maxLength: limits.maxRedirectUriLength, description }))

/** Parameters of `GET · POST /oauth2/authorize` (sign-in/openid-connect-request-parameters, sign-in/bot-installation). */
export const AuthorizeParameters = UncheckedParameters(
  {
    client_id: text('The id of the application.'),
    redirect_uri: Address('One of the registered URIs; may be omitted if exactly one is registered.'),
    response_type: OneOf(['code'], { description: 'The only type of response.' }),
    scope: parameter('Scopes separated by a space.'),
    state: parameter('A value that the redirect returns unchanged.'),
    code_challenge: parameter('BASE64URL(SHA-256(code_verifier)); required for apps without a secret.'),
    code_challenge_method: Type.Optional(
      OneOf(['S256'], { description: 'How the challenge is made: the only method.' }),
    ),
    nonce: parameter('A claim of the ID token; with the scope `openid`.'),
    permissions: parameter('With scope `bot`: the permissions of the bot, as a decimal string.'),
    server_id: parameter('With scope `bot`: the id of the server to preselect.'),
    prompt: parameter('Which pages are shown: `none`, `login`, `consent` or `select_account`.'),
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

/** Parameters of `GET · POST /oauth2/logout` (OpenID Connect RP-Initiated Logout §2). */
export const LogoutParameters = UncheckedParameters(
  {
    id_token_hint: parameter('An id_token of the user; it may be expired.'),
    logout_hint: parameter('Accepted without effect.'),
    client_id: parameter('The id of the application; required without id_token_hint.'),
    post_logout_redirect_uri: Address('One of the registered post-logout redirect URIs.'),
    state: parameter('A value that the redirect returns unchanged.'),
    ui_locales: parameter('Languages of the pages: BCP 47 tags separated by spaces.'),
  },
  { description: 'OpenID Connect RP-Initiated Logout §2.' },
)

const clientParameters = {
  client_id: parameter('The id of the application; or in the Authorization header.'),
  client_secret: parameter('The secret of a confidential client; or in the Authorization header.'),
}

/** Body of `POST /api/oauth2/token`. Lengths and formats are only for the API document: the token endpoint checks the format of code and verifier, and compares the other values. */
export const TokenRequestParameters = UncheckedParameters(
  {
    grant_type: OneOf(['authorization_code', 'refresh_token'], { description: 'What is exchanged.' }),
    code: parameter('With `authorization_code`: the code from the redirect.'),
    redirect_uri: Address('The URI used in the authorization request.'),
    ...clientParameters,
    code_verifier: Type.Optional(
      Type.String({
        minLength: limits.minCodeVerifier,
        maxLength: limits.maxCodeVerifier,
        description: 'The secret of the `code_challenge` (RFC 7636 §4.1).',
      }),
    ),
    refresh_token: parameter('With `refresh_token`: the current refresh token.'),
    scope: parameter('With `refresh_token`: some of the granted scopes.'),
  },
  { description: 'RFC 6749 §4.1.3 and §6, RFC 7636 §4.5.' },
)

/** Body of `POST /api/oauth2/userinfo`. */
export const UserInfoParameters = UncheckedParameters(
  { access_token: parameter('The access token, unless the Authorization header has it.') },
  { description: 'RFC 6750 §2.2.' },
)

/** Body of `POST /api/oauth2/token/revoke`. A request without a token has no effect, and neither have client credentials. */
export const RevocationParameters = UncheckedParameters(
  {
    token: parameter('An access or refresh token.'),
    token_type_hint: parameter('`access_token` or `refresh_token`; has no effect.'),
  },
  { description: 'RFC 7009 §2.1.' },
)

/** Body of `POST /api/oauth2/introspect`. */
export const IntrospectParameters = UncheckedParameters(
  { token: text('An access or refresh token.'), ...clientParameters },
  { description: 'RFC 7662 §2.1. The client authenticates in the Authorization header or in the body.' },
)

/** The parameters of an error response of the authorization endpoint (RFC 6749 §4.1.2.1, RFC 9207 §2). */
export const AuthorizeError = Type.Object(
  {
    error: OneOf(oauthErrorCodes, { description: 'The error, for programs.' }),
    error_description: Type.String({ description: 'The error in a sentence, for developers.' }),
    state: Type.Optional(Type.String({ description: 'The `state` of the request.' })),
    iss: Type.String({ description: 'The URL of the service.' }),
  },
  closed('Authorization was denied or failed.'),
)
export type AuthorizeError = Static<typeof AuthorizeError>
