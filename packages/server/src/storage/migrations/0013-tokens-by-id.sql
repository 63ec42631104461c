-- Codes and tokens contain the id of their family, which is the lookup key (docs/decisions/tokens.md). Older ones do not
-- and become invalid. Consents stay, so that an application gets new tokens with one redirect.
DROP TABLE oauth_used_refresh_tokens;
DROP TABLE oauth_grants;
DROP TABLE oauth_codes;

-- Unused authorization codes. An exchange deletes the row.
CREATE TABLE oauth_codes (
  -- The id of the future token family. Ids increase with time: the sweep finds the oldest codes by id.
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
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
  -- How the user authenticated (JSON list of RFC 8176 methods), for the ID token.
  amr TEXT NOT NULL,
  -- The session in which the code was issued; the code is deleted with it.
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_codes_of_user ON oauth_codes (user_id, application_id);
CREATE INDEX oauth_codes_of_application ON oauth_codes (application_id);
CREATE INDEX oauth_codes_of_session ON oauth_codes (session_id);

-- A token family, created by the exchange of a code. One access token and one refresh token are valid at a time. A refresh
-- replaces both; revoking the family deletes the row.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The code of the family. Its reuse revokes the family.
  code_hash TEXT NOT NULL,
  -- All granted scopes; the access token may have fewer.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- Copied from the code.
  amr TEXT NOT NULL,
  -- The session of the sign-in, which may have ended.
  sid TEXT,
  -- Null after the access token was revoked.
  access_hash TEXT,
  access_scope TEXT NOT NULL,
  access_expires_at BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL,
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
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- When the token would have expired.
  expires_at BIGINT NOT NULL,
  -- The sealed response for a retry within the grace period; null after it (sign-in/refresh-reuse).
  successor TEXT,
  PRIMARY KEY (grant_id, hash)
);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;
