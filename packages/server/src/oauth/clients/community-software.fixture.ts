import type { UpdateApplicationBody } from '@gatehouse/protocol/applications'

/**
 * The requests that software sends when a user signs in, as its public source makes them, with invented addresses.
 * `{…}` stands for a value, which is percent-encoded: `client_id`, `client_secret`, `redirect_uri`, `state`, `nonce`,
 * `challenge`, `verifier`, `code`, `refresh_token`, `id_token`.
 */
export interface Software {
  /** The heading of its section in `docs/connect.md`; after a comma, which of its requests these are. */
  name: string
  /** Where the facts come from: the repository on GitHub, the file, the version. */
  source: string
  /** Absent: confidential. */
  type?: 'public'
  redirectUri: string
  /** What the developer console needs besides, and besides the groups. */
  settings?: Pick<UpdateApplicationBody, 'emailRequired' | 'defaultScopes' | 'addedScopes' | 'refreshGrace'>
  /** The claim that it reads groups from; absent if it reads none. */
  groupsClaim?: 'groups' | 'roles'
  /** How the sign-in ends without `settings`, if not only the email address is missing then. */
  withoutSettings?: 'invalid_scope' | 'insufficient_scope'
  /** The query of the authorization request. */
  query: string
  /** If it has a form of its own. */
  state?: string
  /** How the token requests authenticate. `body`: the fields are in the body. */
  authentication: 'basic' | 'body'
  /** The body of the token request. */
  exchange: string
  /** The claims that it needs of the ID token; absent if it does not read it. */
  idToken?: readonly Claim[]
  /** The claims that it needs of userinfo; absent if it does not ask for it. */
  userinfo?: readonly Claim[]
  /** The query and the `Accept` header of the userinfo request, if there are any. */
  userinfoQuery?: string
  accept?: string
  /** The body of a request with a refresh token. */
  refresh?: string
  logout?: { query: string; registered?: string; location?: string }
}

type Claim = 'sub' | 'preferred_username' | 'name' | 'email' | 'email_verified' | 'groups' | 'roles'

/** The form of golang.org/x/oauth2: sorted parameters, and Basic authentication at first. */
const go = {
  authentication: 'basic',
  exchange: 'code={code}&grant_type=authorization_code&redirect_uri={redirect_uri}',
  refresh: 'grant_type=refresh_token&refresh_token={refresh_token}',
} as const

/** The form of the packages oauth and passport-oauth2. */
const passport = {
  authentication: 'body',
  exchange:
    'grant_type=authorization_code&redirect_uri={redirect_uri}&client_id={client_id}' +
    '&client_secret={client_secret}&code={code}',
} as const

/** The form of the crate openidconnect. */
const rust = {
  authentication: 'basic',
  exchange: 'grant_type=authorization_code&code={code}&code_verifier={verifier}&redirect_uri={redirect_uri}',
  accept: 'application/json',
} as const

export const communitySoftware: readonly Software[] = [
  {
    name: 'Nextcloud',
    source: 'nextcloud/user_oidc lib/Controller/LoginController.php, 8.10',
    redirectUri: 'https://cloud.example.org/apps/user_oidc/code',
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&response_type=code&scope=openid+email+profile+groups&redirect_uri={redirect_uri}' +
      '&claims=%7B%22id_token%22%3A%7B%22email%22%3Anull%2C%22name%22%3Anull%2C%22quota%22%3Anull%2C' +
      '%22groups%22%3Anull%7D%2C%22userinfo%22%3A%7B%22email%22%3Anull%2C%22name%22%3Anull%7D%7D' +
      '&state={state}&nonce={nonce}&code_challenge={challenge}&code_challenge_method=S256',
    authentication: 'body',
    exchange:
      'code={code}&redirect_uri={redirect_uri}&grant_type=authorization_code&code_verifier={verifier}' +
      '&client_id={client_id}&client_secret={client_secret}',
    idToken: ['sub', 'name', 'groups'],
    logout: {
      query: 'post_logout_redirect_uri=https://cloud.example.org/&client_id={client_id}',
      registered: 'https://cloud.example.org/',
    },
  },
  {
    name: 'Gitea',
    source:
      'go-gitea/gitea services/auth/source/oauth2/providers_openid.go, 1.25; ' +
      'markbates/goth providers/openidConnect/openidConnect.go, 1.82',
    redirectUri: 'https://git.example.org/user/oauth2/gatehouse/callback',
    settings: { emailRequired: true },
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&redirect_uri={redirect_uri}&response_type=code' +
      '&scope=profile+email+groups+openid&state={state}',
    ...go,
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'groups'],
  },
  {
    name: 'Gitea, without scopes',
    source: 'markbates/goth providers/openidConnect/openidConnect.go (newConfig), 1.82',
    redirectUri: 'https://git.example.org/user/oauth2/gatehouse/callback',
    settings: { emailRequired: true, addedScopes: ['identify', 'email', 'groups'] },
    groupsClaim: 'groups',
    withoutSettings: 'insufficient_scope',
    query: 'client_id={client_id}&redirect_uri={redirect_uri}&response_type=code&scope=openid&state={state}',
    ...go,
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'groups'],
  },
  {
    name: 'Forgejo',
    source: 'forgejo routers/web/auth/oauth.go (generateCodeChallenge), 12',
    redirectUri: 'https://git.example.org/user/oauth2/gatehouse/callback',
    settings: { emailRequired: true },
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&code_challenge={challenge}&code_challenge_method=S256' +
      '&redirect_uri={redirect_uri}&response_type=code&scope=profile+email+groups+openid&state={state}',
    ...go,
    exchange: `${go.exchange}&code_verifier={verifier}`,
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'groups'],
  },
  {
    name: 'Grafana',
    source:
      'grafana/grafana pkg/login/social/connectors/generic_oauth.go, pkg/services/authn/clients/oauth.go, 12',
    redirectUri: 'https://grafana.example.org/login/generic_oauth',
    settings: { emailRequired: true, refreshGrace: true },
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&code_challenge={challenge}&code_challenge_method=S256' +
      '&redirect_uri={redirect_uri}&response_type=code&scope=openid+email+profile+groups&state={state}',
    ...go,
    exchange: `${go.exchange}&code_verifier={verifier}`,
    idToken: ['sub', 'preferred_username', 'name', 'email', 'groups'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'groups'],
    logout: {
      query: 'id_token_hint={id_token}&post_logout_redirect_uri=https%3A%2F%2Fgrafana.example.org%2Flogin',
      registered: 'https://grafana.example.org/login',
      location: 'https://grafana.example.org/login',
    },
  },
  {
    name: 'Grafana, with its default scope',
    source: 'grafana/grafana conf/defaults.ini, 12',
    redirectUri: 'https://grafana.example.org/login/generic_oauth',
    settings: { emailRequired: true, defaultScopes: ['openid', 'identify', 'email', 'groups'] },
    groupsClaim: 'groups',
    withoutSettings: 'invalid_scope',
    query:
      'client_id={client_id}&redirect_uri={redirect_uri}&response_type=code&scope=user%3Aemail&state={state}',
    ...go,
    idToken: ['sub', 'name', 'email', 'groups'],
    userinfo: ['sub', 'name', 'email', 'groups'],
  },
  {
    name: 'BookStack',
    source: 'BookStackApp/BookStack app/Access/Oidc/OidcService.php, 24.10; thephpleague/oauth2-client, 2.7',
    redirectUri: 'https://books.example.org/oidc/callback',
    settings: { emailRequired: true },
    groupsClaim: 'groups',
    query:
      'state={state}&scope=openid%20profile%20email%20groups&response_type=code&approval_prompt=auto' +
      '&code_challenge={challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&client_id={client_id}',
    authentication: 'basic',
    exchange:
      'code_verifier={verifier}&grant_type=authorization_code&redirect_uri={redirect_uri}&code={code}',
    idToken: ['sub', 'name', 'email', 'groups'],
    logout: {
      query: 'id_token_hint={id_token}&post_logout_redirect_uri=https%3A%2F%2Fbooks.example.org',
      registered: 'https://books.example.org',
      location: 'https://books.example.org',
    },
  },
  {
    name: 'Wiki.js',
    source:
      'requarks/wiki server/modules/authentication/oidc/authentication.js, 2.5; ' +
      'jaredhanson/passport-openidconnect lib/strategy.js, 0.1.2',
    redirectUri: 'https://wiki.example.org/login/4a1f6d2e-0c5b-4a55-9d6a-1c1f3b7a9e10/callback',
    settings: { emailRequired: true, addedScopes: ['groups'] },
    groupsClaim: 'groups',
    query:
      'response_type=code&client_id={client_id}&redirect_uri={redirect_uri}' +
      '&scope=openid%20openid%20profile%20email&state={state}',
    ...passport,
    idToken: ['sub'],
    userinfo: ['email', 'name', 'groups'],
    logout: { query: '' },
  },
  {
    name: 'Outline',
    source: 'outline/outline plugins/oidc/server/auth/oidcRouter.ts, server/utils/oauth.ts, 1.9',
    redirectUri: 'https://docs.example.org/auth/oidc.callback',
    settings: { emailRequired: true },
    query:
      'response_type=code&redirect_uri={redirect_uri}&scope=openid%20profile%20email&state={state}' +
      '&code_challenge={challenge}&code_challenge_method=S256&client_id={client_id}',
    ...passport,
    exchange: `${passport.exchange}&code_verifier={verifier}`,
    idToken: ['sub', 'email'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'email_verified'],
    refresh:
      'client_id={client_id}&client_secret={client_secret}&refresh_token={refresh_token}' +
      '&grant_type=refresh_token',
    logout: {
      query:
        'id_token_hint={id_token}&client_id={client_id}' +
        '&post_logout_redirect_uri=https%3A%2F%2Fdocs.example.org',
      registered: 'https://docs.example.org',
      location: 'https://docs.example.org',
    },
  },
  {
    name: 'HedgeDoc',
    source: 'hedgedoc/hedgedoc lib/web/auth/oauth2/index.js, 1.12',
    redirectUri: 'https://pad.example.org/auth/oauth2/callback',
    settings: { defaultScopes: ['identify', 'email', 'groups'] },
    groupsClaim: 'groups',
    withoutSettings: 'invalid_scope',
    query: 'response_type=code&redirect_uri={redirect_uri}&state={state}&client_id={client_id}',
    ...passport,
    userinfo: ['sub', 'preferred_username', 'name', 'groups'],
  },
  {
    name: 'Discourse',
    source: 'discourse/discourse plugins/discourse-openid-connect/lib/omniauth_open_id_connect.rb, 3.5',
    redirectUri: 'https://forum.example.org/auth/oidc/callback',
    settings: { emailRequired: true },
    query:
      'client_id={client_id}&code_challenge={challenge}&code_challenge_method=S256&nonce={nonce}' +
      '&redirect_uri={redirect_uri}&response_type=code&scope=openid+email+profile&state={state}',
    authentication: 'basic',
    exchange:
      'code={code}&code_verifier={verifier}&grant_type=authorization_code&redirect_uri={redirect_uri}',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'email_verified'],
    logout: { query: 'id_token_hint={id_token}' },
  },
  {
    name: 'Discourse, with its default scope',
    source: 'discourse/discourse plugins/discourse-openid-connect/config/settings.yml, 3.5',
    redirectUri: 'https://forum.example.org/auth/oidc/callback',
    settings: { emailRequired: true, addedScopes: ['identify', 'email'] },
    withoutSettings: 'insufficient_scope',
    query:
      'client_id={client_id}&nonce={nonce}&redirect_uri={redirect_uri}&response_type=code&scope=openid' +
      '&state={state}',
    authentication: 'basic',
    exchange: 'code={code}&grant_type=authorization_code&redirect_uri={redirect_uri}',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'email_verified'],
  },
  {
    name: 'Jellyfin',
    source:
      '9p4/jellyfin-plugin-sso SSO-Auth/Api/SSOController.cs, 4.0; Duende.IdentityModel.OidcClient, 6.0',
    redirectUri: 'https://media.example.org/sso/OID/redirect/gatehouse',
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&response_type=code&scope=openid%20profile%20groups&redirect_uri={redirect_uri}' +
      '&state={state}&code_challenge={challenge}&code_challenge_method=S256',
    authentication: 'body',
    exchange:
      'client_id={client_id}&client_secret={client_secret}&grant_type=authorization_code&code={code}' +
      '&redirect_uri={redirect_uri}&code_verifier={verifier}',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'groups'],
    accept: 'application/json',
  },
  {
    name: 'Portainer',
    source:
      'portainer/portainer api/oauth/oauth.go, api/http/handler/settings/settings_public.go, 2.23; ' +
      'the scopes of its example',
    redirectUri: 'https://portainer.example.org',
    settings: { defaultScopes: ['openid', 'identify', 'email'] },
    withoutSettings: 'invalid_scope',
    // It does not encode the values.
    query:
      'response_type=code&client_id={client_id}&redirect_uri=https://portainer.example.org&scope=id,email,name' +
      '&state={state}',
    ...go,
    idToken: ['sub'],
    userinfo: ['preferred_username'],
    logout: { query: '' },
  },
  {
    name: 'Proxmox VE',
    source:
      'proxmox/proxmox-rs proxmox-openid/src/lib.rs; ' +
      'proxmox/pve-access-control src/PVE/API2/OpenId.pm, 9.1',
    redirectUri: 'https://pve.example.org:8006',
    groupsClaim: 'groups',
    query:
      'response_type=code&client_id={client_id}&state={state}&code_challenge={challenge}' +
      '&code_challenge_method=S256&redirect_uri={redirect_uri}&scope=openid+email+profile+groups' +
      '&nonce={nonce}&display=page',
    state: '{"csrf_token":"hX6pS2vMZkq0aYt1oUe7JQ","realm":"gatehouse"}',
    ...rust,
    idToken: ['sub', 'preferred_username', 'groups'],
    userinfo: ['sub'],
  },
  {
    name: 'Immich',
    source:
      'immich-app/immich server/src/repositories/oauth.repository.ts, server/src/services/auth.service.ts, 2',
    redirectUri: 'https://photos.example.org/auth/login',
    settings: { emailRequired: true },
    query:
      'redirect_uri={redirect_uri}&scope=openid+email+profile&state={state}&code_challenge={challenge}' +
      '&code_challenge_method=S256&client_id={client_id}&response_type=code',
    authentication: 'body',
    exchange:
      'redirect_uri={redirect_uri}&code={code}&code_verifier={verifier}&grant_type=authorization_code' +
      '&client_id={client_id}&client_secret={client_secret}',
    idToken: ['sub', 'name', 'email'],
    logout: { query: 'id_token_hint={id_token}' },
  },
  {
    name: 'Immich, mobile app',
    source: 'immich-app/immich server/src/services/auth.service.ts (resolveRedirectUri), 2',
    redirectUri: 'app.immich:///oauth-callback',
    settings: { emailRequired: true },
    query:
      'redirect_uri={redirect_uri}&scope=openid+email+profile&state={state}&code_challenge={challenge}' +
      '&code_challenge_method=S256&client_id={client_id}&response_type=code',
    authentication: 'body',
    exchange:
      'redirect_uri={redirect_uri}&code={code}&code_verifier={verifier}&grant_type=authorization_code' +
      '&client_id={client_id}&client_secret={client_secret}',
    idToken: ['sub', 'name', 'email'],
  },
  {
    name: 'Paperless-ngx',
    source:
      'pennersr/django-allauth allauth/socialaccount/providers/openid_connect/views.py, 65.16; ' +
      'paperless-ngx/paperless-ngx src/paperless/signals.py, 2.20',
    redirectUri: 'https://paper.example.org/accounts/oidc/gatehouse/login/callback/',
    groupsClaim: 'groups',
    query:
      'client_id={client_id}&redirect_uri={redirect_uri}&scope=email+groups+openid+profile' +
      '&response_type=code&state={state}&code_challenge_method=S256&code_challenge={challenge}',
    authentication: 'body',
    exchange:
      'redirect_uri={redirect_uri}&grant_type=authorization_code&code={code}&client_id={client_id}' +
      '&client_secret={client_secret}&code_verifier={verifier}',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'groups'],
  },
  {
    name: 'WordPress',
    source: 'oidc-wp/openid-connect-generic includes/openid-connect-generic-client.php, 3.10',
    redirectUri: 'https://blog.example.org/wp-admin/admin-ajax.php?action=openid-connect-authorize',
    settings: {
      emailRequired: true,
      defaultScopes: ['openid', 'identify', 'email'],
      refreshGrace: true,
    },
    withoutSettings: 'invalid_scope',
    query: 'response_type=code&scope=&client_id={client_id}&state={state}&redirect_uri={redirect_uri}',
    authentication: 'body',
    exchange:
      'code={code}&client_id={client_id}&client_secret={client_secret}&redirect_uri={redirect_uri}' +
      '&grant_type=authorization_code&scope=',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email'],
    refresh:
      'refresh_token={refresh_token}&client_id={client_id}&client_secret={client_secret}' +
      '&grant_type=refresh_token',
    logout: {
      query:
        'id_token_hint={id_token}' +
        '&post_logout_redirect_uri=https%3A%2F%2Fblog.example.org%2Fwp-login.php%3Floggedout%3Dtrue%26wp_lang%3Den_US',
    },
  },
  {
    name: 'NodeBB',
    source: 'NodeBB/nodebb-plugin-sso-oauth2-multiple library.js, 2.0',
    redirectUri: 'https://forum.example.org/auth/gatehouse/callback',
    settings: { emailRequired: true },
    groupsClaim: 'roles',
    query:
      'response_type=code&redirect_uri={redirect_uri}&scope=openid%20email%20profile%20groups&state={state}' +
      '&client_id={client_id}',
    ...passport,
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'email_verified', 'roles'],
  },
  {
    name: 'oauth2-proxy',
    source: 'oauth2-proxy/oauth2-proxy providers/oidc.go, providers/util.go, 7.15',
    redirectUri: 'https://app.example.org/oauth2/callback',
    settings: { emailRequired: true, refreshGrace: true },
    groupsClaim: 'groups',
    query:
      'approval_prompt=force&client_id={client_id}&code_challenge={challenge}&code_challenge_method=S256' +
      '&nonce={nonce}&redirect_uri={redirect_uri}&response_type=code&scope=openid+email+profile+groups' +
      '&state={state}',
    state: 'dGhlIG5vbmNlIG9mIHRoZSByZXF1ZXN0:https://app.example.org/reports?week=12',
    ...go,
    exchange: `${go.exchange}&code_verifier={verifier}`,
    idToken: ['sub', 'email', 'email_verified', 'preferred_username', 'groups'],
    logout: { query: '' },
  },
  {
    name: 'Keycloak',
    source: 'keycloak/keycloak services/src/main/java/org/keycloak/broker/oidc/OIDCIdentityProvider.java, 26',
    redirectUri: 'https://keycloak.example.org/realms/main/broker/gatehouse/endpoint',
    settings: { emailRequired: true, addedScopes: ['identify', 'email', 'groups'] },
    groupsClaim: 'groups',
    withoutSettings: 'insufficient_scope',
    query:
      'scope=openid&state={state}&response_type=code&client_id={client_id}&redirect_uri={redirect_uri}' +
      '&code_challenge={challenge}&code_challenge_method=S256&nonce={nonce}',
    authentication: 'body',
    exchange:
      'code={code}&redirect_uri={redirect_uri}&grant_type=authorization_code&code_verifier={verifier}' +
      '&client_id={client_id}&client_secret={client_secret}',
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username', 'name', 'email', 'groups'],
    refresh:
      'refresh_token={refresh_token}&grant_type=refresh_token&client_id={client_id}' +
      '&client_secret={client_secret}',
    logout: {
      query:
        'state=0c6dd3f5-7b52-4a0e-8a0e-57f0a2fd6f0e&id_token_hint={id_token}&post_logout_redirect_uri=' +
        'https://keycloak.example.org/realms/main/broker/gatehouse/endpoint/logout_response',
      registered: 'https://keycloak.example.org/realms/main/broker/gatehouse/endpoint/logout_response',
      location:
        'https://keycloak.example.org/realms/main/broker/gatehouse/endpoint/logout_response' +
        '?state=0c6dd3f5-7b52-4a0e-8a0e-57f0a2fd6f0e',
    },
  },
  {
    name: 'Home Assistant',
    source: 'christiaangoossens/hass-oidc-auth custom_components/auth_oidc/tools/oidc_client.py, 1.1',
    type: 'public',
    redirectUri: 'https://home.example.org/auth/oidc/callback',
    groupsClaim: 'groups',
    query:
      'response_type=code&client_id={client_id}&redirect_uri={redirect_uri}&scope=openid+profile+groups' +
      '&state={state}&nonce={nonce}&code_challenge={challenge}&code_challenge_method=S256',
    authentication: 'body',
    exchange:
      'grant_type=authorization_code&client_id={client_id}&code={code}&redirect_uri={redirect_uri}' +
      '&code_verifier={verifier}',
    idToken: ['sub', 'name', 'preferred_username', 'groups'],
    userinfo: ['sub'],
  },
  {
    name: 'Miniflux',
    source: 'miniflux/v2 internal/oauth2/oidc.go, 2.3',
    redirectUri: 'https://news.example.org/oauth2/oidc/callback',
    query:
      'client_id={client_id}&code_challenge={challenge}&code_challenge_method=S256' +
      '&redirect_uri={redirect_uri}&response_type=code&scope=openid+profile+email&state={state}',
    ...go,
    exchange: `${go.exchange}&code_verifier={verifier}`,
    idToken: ['sub'],
    userinfo: ['sub', 'preferred_username'],
  },
  {
    name: 'Vaultwarden',
    source: 'dani-garcia/vaultwarden src/sso_client.rs, 1.37',
    redirectUri: 'https://vault.example.org/identity/connect/oidc-signin',
    settings: { emailRequired: true, refreshGrace: true },
    query:
      'response_type=code&client_id={client_id}&state={state}&redirect_uri={redirect_uri}' +
      '&scope=openid+email+profile&nonce={nonce}&code_challenge={challenge}&code_challenge_method=S256',
    state: 'NmYxZDYyZTItN2I0Ny00YzQ0LWE2ZTAtYjQ2ODZjZGE2NTkw',
    ...rust,
    idToken: ['sub', 'email', 'email_verified'],
    userinfo: ['sub', 'preferred_username', 'email', 'email_verified'],
    refresh: 'grant_type=refresh_token&refresh_token={refresh_token}',
  },
  {
    name: 'MediaWiki',
    source:
      'wikimedia/mediawiki-extensions-OpenIDConnect includes/OpenIDConnect.php, 8.3; ' +
      'jumbojett/OpenID-Connect-PHP src/OpenIDConnectClient.php, 1.0.2',
    redirectUri: 'https://wiki.example.org/wiki/Special:PluggableAuthLogin',
    groupsClaim: 'groups',
    query:
      'response_type=code&redirect_uri={redirect_uri}&client_id={client_id}&nonce={nonce}&state={state}' +
      '&scope=openid+profile+email+groups+openid&code_challenge={challenge}&code_challenge_method=S256',
    authentication: 'basic',
    exchange:
      'grant_type=authorization_code&code={code}&redirect_uri={redirect_uri}&client_id={client_id}' +
      '&code_verifier={verifier}',
    idToken: ['sub', 'preferred_username', 'name', 'groups'],
    userinfo: ['sub', 'preferred_username', 'name'],
    userinfoQuery: '?schema=openid',
    accept: 'application/json',
    logout: {
      query:
        'id_token_hint={id_token}&post_logout_redirect_uri=https%3A%2F%2Fwiki.example.org%2Fwiki%2FMain_Page',
      registered: 'https://wiki.example.org/wiki/Main_Page',
      location: 'https://wiki.example.org/wiki/Main_Page',
    },
  },
]
