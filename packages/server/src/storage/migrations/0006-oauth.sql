-- The scopes that a user granted to an application (sign-in/consent-remembered).
CREATE TABLE oauth_consents (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- The canonical name of the scope, not an alias.
  scope TEXT NOT NULL,
  granted_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, application_id, scope)
);
CREATE INDEX oauth_consents_of_application ON oauth_consents (application_id);

-- Unused authorization codes. An exchange deletes the row.
CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Space-separated, as requested.
  scope TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  -- 0 if the authorization request had no redirect_uri (sign-in/code-redirect-uri).
  redirect_uri_sent SMALLINT NOT NULL,
  -- BASE64URL of SHA-256; null without PKCE.
  code_challenge TEXT,
  nonce TEXT,
  auth_time BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_codes_of_user ON oauth_codes (user_id, application_id);
CREATE INDEX oauth_codes_of_application ON oauth_codes (application_id);
CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);

-- A token family, created by the exchange of a code. One access token and one refresh token are valid at a time. A refresh
-- replaces both; revoking the family deletes the row.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The code of the family. Its reuse revokes the family.
  code_hash TEXT NOT NULL UNIQUE,
  -- All granted scopes; the access token may have fewer.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- Null after the access token was revoked.
  access_hash TEXT UNIQUE,
  access_scope TEXT NOT NULL,
  access_expires_at BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL UNIQUE,
  -- When both tokens were issued.
  issued_at BIGINT NOT NULL,
  -- When the refresh token and the family expire.
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id, application_id);
CREATE INDEX oauth_grants_of_application ON oauth_grants (application_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);

-- Used refresh tokens. The reuse of one revokes its family (sign-in/refresh-rotation).
CREATE TABLE oauth_used_refresh_tokens (
  hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  used_at BIGINT NOT NULL,
  -- When the token would have expired.
  expires_at BIGINT NOT NULL,
  -- The sealed response for a retry within the grace period; null after it (sign-in/refresh-reuse).
  successor TEXT
);
CREATE INDEX oauth_used_refresh_tokens_of_grant ON oauth_used_refresh_tokens (grant_id);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;

-- Keys that sign ID tokens (sign-in/key-rotation). The number orders two keys that were created at the same time.
CREATE TABLE oauth_signing_keys (
  number BIGINT PRIMARY KEY,
  kid TEXT NOT NULL UNIQUE,
  -- JSON Web Key; the private part is sealed.
  public_key TEXT NOT NULL,
  private_key_sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- The key signs from this time until the next key's.
  active_from BIGINT NOT NULL
);
