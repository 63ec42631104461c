import type { GenericSchema, InferOutput, ObjectEntries } from 'valibot'
import { oauthErrorCodes } from './errors.ts'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import {
  boolean,
  described,
  integer,
  list,
  looseObject,
  object,
  oneOf,
  openObject,
  optional,
  shownAs,
  string,
} from './wire.ts'

const TokenType = oneOf(['Bearer'], 'The type of the access token.')

/** The token response (RFC 6749 §5.1). */
export const TokenResponse = object(
  {
    access_token: string('The token for `Authorization: Bearer …`.'),
    refresh_token: string('The token for the next token request; it is valid once.'),
    token_type: TokenType,
    expires_in: integer('The seconds until the access token expires.'),
    scope: string('The granted scopes, separated by spaces.'),
    id_token: optional(string('The signed ID token; with the scope `openid`.')),
  },
  'The issued tokens (RFC 6749 §5.1).',
)
export type TokenResponse = InferOutput<typeof TokenResponse>

/** Every response of `POST /api/oauth2/token/revoke`. */
export const EmptyObject = object({}, 'An empty object.')
export type EmptyObject = InferOutput<typeof EmptyObject>

/** An entry of `GET /api/applications/:id/sign-in-failures` (sign-in/failures). */
export const SignInFailure = object(
  {
    id: described(Id, 'The id of the entry.'),
    endpoint: oneOf(['authorization', 'token'], 'The endpoint that failed.'),
    error: oneOf(oauthErrorCodes, 'The error code of OAuth 2.0.'),
    reason: string('The check that failed. It may have a URI that the request sent, without its query.'),
    count: integer('How often it failed in this way from `createdAt` to `lastAt`.'),
    createdAt: described(Timestamp, 'When it failed first.'),
    lastAt: described(Timestamp, 'When it failed last.'),
  },
  'A failure of sign-ins with an application.',
)
export type SignInFailure = InferOutput<typeof SignInFailure>

const profileClaims = {
  preferred_username: optional(string('The username.')),
  name: optional(string('The display name.')),
  picture: optional(string('The absolute URL of the avatar.', { format: 'uri' })),
  email: optional(string('The email address; with the scope `email`.')),
  email_verified: optional(
    boolean('Whether the user has confirmed the email address; with the scope `email`.'),
  ),
}

/** `GET · POST /api/oauth2/userinfo` (sign-in/userinfo-scope): claims without a value are omitted, never null. */
export const UserInfo = looseObject(
  {
    sub: string('The id of the user.'),
    ...profileClaims,
    groups: optional(
      list(string('A group.'), 'The groups of the user, from the highest role; with the scope `groups`.'),
    ),
  },
  'The claims of the user of the token. The `groupsClaim` of the application repeats `groups`.',
)
export type UserInfo = InferOutput<typeof UserInfo>

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
  /** With the scope `groups`. */
  groups?: string[]
}

/**
 * `POST /api/oauth2/introspect` (RFC 7662 §2.2). For a token that is not active only `{"active":false}`
 * (sign-in/introspection).
 */
export const Introspection = object(
  {
    active: boolean('Whether the token is valid; the other members are absent if not.'),
    scope: optional(string('The granted scopes, separated by spaces.')),
    client_id: optional(string('The id of the application.')),
    username: optional(string('The username of the user.')),
    token_type: optional(TokenType),
    exp: optional(integer('When the token expires, in seconds since 1970.')),
    iat: optional(integer('When the token was issued, in seconds since 1970.')),
    sub: optional(string('The id of the user.')),
    aud: optional(string('The id of the application that the token is for.')),
    iss: optional(string('The URL of the service.')),
  },
  'The state of a token (RFC 7662 §2.2).',
)
export type Introspection = InferOutput<typeof Introspection>

/** A public signing key (RFC 7517 §4, RFC 7518 §6.3.1). */
export const PublicKey = object(
  {
    kty: oneOf(['RSA'], 'The type of the key.'),
    use: oneOf(['sig'], 'The use of the key: signatures.'),
    alg: oneOf(['RS256'], 'The algorithm.'),
    kid: string('The id of the key, which the header of an ID token names.'),
    n: string('The modulus.'),
    e: string('The exponent.'),
  },
  'A public signing key.',
)
export type PublicKey = InferOutput<typeof PublicKey>

/** `GET /api/oauth2/keys`. */
export const KeySet = object({ keys: list(PublicKey, 'The keys.') }, 'The keys that verify id_tokens.')
export type KeySet = InferOutput<typeof KeySet>

/* @__NO_SIDE_EFFECTS__ */
const Texts = (description: string) => list(string(), description)
/* @__NO_SIDE_EFFECTS__ */
const Endpoint = (description: string) => string(description, { format: 'uri' })
/* @__NO_SIDE_EFFECTS__ */
const IsSupported = (description: string) => boolean(description)
const clientAuthenticationMethods = Texts('How a client can authenticate.')

/**
 * Both discovery documents (OpenID Connect Discovery §3, RFC 8414 §2, RFC 9207 §3, RP-Initiated Logout §2.1,
 * Back-Channel Logout §2.1).
 */
export const Discovery = object(
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
    display_values_supported: optional(Texts('The accepted values of `display`.')),
    ui_locales_supported: optional(Texts('The languages of the pages.')),
    service_documentation: optional(Endpoint('The URL of the documentation.')),
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
  'The endpoints and features of the authorization server.',
)
export type Discovery = InferOutput<typeof Discovery>

const anyObject = looseObject({})

/**
 * Parameters that the endpoint checks itself: it decides about missing, repeated, empty and unknown ones with the
 * errors of the standards and, at the authorization endpoint, in their order (sign-in/errors-without-redirect). The
 * validation accepts every object.
 */
/* @__NO_SIDE_EFFECTS__ */
function parametersOf(entries: ObjectEntries, description: string): GenericSchema<unknown, object> {
  return shownAs(anyObject, openObject(entries, description))
}

/* @__NO_SIDE_EFFECTS__ */
function text(description: string) {
  return string(description, { maxLength: limits.maxStateBytes })
}

/* @__NO_SIDE_EFFECTS__ */
function parameter(description: string) {
  return optional(text(description))
}

/* @__NO_SIDE_EFFECTS__ */
const Address = (description: string) =>
  optional(string(description, { format: 'uri', maxLength: limits.maxRedirectUriLength }))

/**
 * Parameters of `GET · POST /oauth2/authorize` (sign-in/openid-connect-request-parameters, sign-in/bot-installation).
 */
export const AuthorizeParameters = parametersOf(
  {
    client_id: text('The id of the application.'),
    redirect_uri: Address('One of the registered URIs; may be omitted if exactly one is registered.'),
    response_type: oneOf(['code'], 'The only type of response.'),
    scope: parameter('Scopes separated by a space.'),
    state: parameter('A value that the redirect returns unchanged.'),
    code_challenge: parameter('BASE64URL(SHA-256(code_verifier)); required for apps without a secret.'),
    code_challenge_method: optional(oneOf(['S256'], 'How the challenge is made: the only method.')),
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
  'RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1.',
)

/** Parameters of `GET · POST /oauth2/logout` (OpenID Connect RP-Initiated Logout §2). */
export const LogoutParameters = parametersOf(
  {
    id_token_hint: parameter('An id_token of the user; it may be expired.'),
    logout_hint: parameter('Accepted without effect.'),
    client_id: parameter('The id of the application; required without id_token_hint.'),
    post_logout_redirect_uri: Address('One of the registered post-logout redirect URIs.'),
    state: parameter('A value that the redirect returns unchanged.'),
    ui_locales: parameter('Languages of the pages: BCP 47 tags separated by spaces.'),
  },
  'OpenID Connect RP-Initiated Logout §2.',
)

const clientParameters = {
  client_id: parameter('The id of the application; or in the Authorization header.'),
  client_secret: parameter('The secret of a confidential client; or in the Authorization header.'),
}

const tokenParameters = {
  grant_type: oneOf(['authorization_code', 'refresh_token'], 'What is exchanged.'),
  code: parameter('With `authorization_code`: the code from the redirect.'),
  redirect_uri: Address('The URI used in the authorization request.'),
  code_verifier: optional(
    string('The secret of the `code_challenge` (RFC 7636 §4.1).', {
      minLength: limits.minCodeVerifier,
      maxLength: limits.maxCodeVerifier,
    }),
  ),
  refresh_token: parameter('With `refresh_token`: the current refresh token.'),
  scope: parameter('With `refresh_token`: some of the granted scopes.'),
  ...clientParameters,
}

/** Body of `POST /api/oauth2/token`. */
export const TokenRequestParameters = parametersOf(tokenParameters, 'RFC 6749 §4.1.3 and §6, RFC 7636 §4.5.')

/**
 * What the token endpoint reads of its body. Lengths and formats are only for the API document: a grant checks the
 * format of code and verifier, and compares the other values.
 */
export const TokenRequest = openObject(tokenParameters)
export type TokenRequest = InferOutput<typeof TokenRequest>

/** Body of `POST /api/oauth2/userinfo`. */
export const UserInfoParameters = parametersOf(
  { access_token: parameter('The access token, unless the Authorization header has it.') },
  'RFC 6750 §2.2.',
)

/**
 * Body of `POST /api/oauth2/token/revoke`. A request without a token has no effect, and neither have client
 * credentials.
 */
export const RevocationParameters = parametersOf(
  {
    token: parameter('An access or refresh token.'),
    token_type_hint: parameter('`access_token` or `refresh_token`; has no effect.'),
  },
  'RFC 7009 §2.1.',
)

/** Body of `POST /api/oauth2/introspect`. */
export const IntrospectParameters = parametersOf(
  { token: text('An access or refresh token.'), ...clientParameters },
  'RFC 7662 §2.1. The client authenticates in the Authorization header or in the body.',
)

/** The parameters of an error response of the authorization endpoint (RFC 6749 §4.1.2.1, RFC 9207 §2). */
export const AuthorizeError = object(
  {
    error: oneOf(oauthErrorCodes, 'The error, for programs.'),
    error_description: string('The error in a sentence, for developers.'),
    state: optional(string('The `state` of the request.')),
    iss: string('The URL of the service.'),
  },
  'Authorization was denied or failed.',
)
export type AuthorizeError = InferOutput<typeof AuthorizeError>
