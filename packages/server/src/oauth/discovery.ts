import { locales } from '@gatehouse/protocol/locales'
import type { Discovery } from '@gatehouse/protocol/oauth'
import { scopes } from '@gatehouse/protocol/scopes'
import { acrValues } from './id-token.ts'
import { grantTypes } from './tokens.ts'

/** The document of both well-known URLs (OpenID Connect Discovery §3, RFC 8414 §2; sign-in/metadata). */
export function createDiscovery(baseUrl: string): Discovery {
  const authMethods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth2/authorize`,
    token_endpoint: `${baseUrl}/api/oauth2/token`,
    userinfo_endpoint: `${baseUrl}/api/oauth2/userinfo`,
    jwks_uri: `${baseUrl}/api/oauth2/keys`,
    revocation_endpoint: `${baseUrl}/api/oauth2/token/revoke`,
    introspection_endpoint: `${baseUrl}/api/oauth2/introspect`,
    end_session_endpoint: `${baseUrl}/oauth2/logout`,
    service_documentation: `${baseUrl}/docs`,
    scopes_supported: [...scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    // The default includes `implicit` (RFC 8414 §2).
    grant_types_supported: [...grantTypes],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [...authMethods, 'none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    introspection_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    acr_values_supported: Object.values(acrValues),
    claim_types_supported: ['normal'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'acr',
      'amr',
      'nonce',
      'at_hash',
      'sid',
      'preferred_username',
      'name',
      'picture',
      'email',
      'email_verified',
      'groups',
    ],
    ui_locales_supported: [...locales],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // The default is true (Discovery §3).
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }
}
