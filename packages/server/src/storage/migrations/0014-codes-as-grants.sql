-- A grant is one row from its authorization code on (docs/decisions/tokens.md): the exchange fills in the empty columns
-- instead of deleting a code and inserting a family. Valid codes and tokens stay valid.
CREATE TABLE oauth_grants_next (
  -- The id in the code and in all tokens of the family.
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Space-separated, all granted scopes; an access token may have fewer.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- How the user authenticated (JSON list of RFC 8176 methods), for the ID token.
  amr TEXT NOT NULL,
  -- The session of the sign-in, which may have ended.
  sid TEXT,
  -- The code. Its reuse revokes the family.
  code_hash TEXT NOT NULL,
  -- Set until the code is exchanged, then null. The code is deleted with the session.
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  redirect_uri TEXT,
  -- 0 if the authorization request had no redirect_uri (sign-in/code-redirect-uri).
  redirect_uri_sent SMALLINT,
  -- BASE64URL of SHA-256; null without PKCE.
  code_challenge TEXT,
  nonce TEXT,
  -- The valid pair of tokens: null before the exchange; access_hash is null also after the access token was revoked.
  access_hash TEXT,
  access_scope TEXT,
  access_expires_at BIGINT,
  refresh_hash TEXT,
  issued_at BIGINT,
  -- When the code or the refresh token expires, and the family with it.
  expires_at BIGINT NOT NULL
);
INSERT INTO oauth_grants_next (id, application_id, user_id, scope, auth_time, amr, sid, code_hash, access_hash, access_scope,
  access_expires_at, refresh_hash, issued_at, expires_at)
SELECT id, application_id, user_id, scope, auth_time, amr, sid, code_hash, access_hash, access_scope, access_expires_at,
  refresh_hash, issued_at, expires_at FROM oauth_grants;
INSERT INTO oauth_grants_next (id, application_id, user_id, scope, auth_time, amr, sid, code_hash, session_id, redirect_uri,
  redirect_uri_sent, code_challenge, nonce, expires_at)
SELECT id, application_id, user_id, scope, auth_time, amr, session_id, hash, session_id, redirect_uri, redirect_uri_sent,
  code_challenge, nonce, expires_at FROM oauth_codes;

CREATE TABLE oauth_used_refresh_tokens_next (
  grant_id TEXT NOT NULL REFERENCES oauth_grants_next (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- When the token would have expired.
  expires_at BIGINT NOT NULL,
  -- The sealed response for a retry within the grace period; null after it (sign-in/refresh-reuse).
  successor TEXT,
  PRIMARY KEY (grant_id, hash)
);
INSERT INTO oauth_used_refresh_tokens_next (grant_id, hash, used_at, expires_at, successor)
SELECT grant_id, hash, used_at, expires_at, successor FROM oauth_used_refresh_tokens;

-- Dropping the tables drops their indexes.
DROP TABLE oauth_used_refresh_tokens;
DROP TABLE oauth_grants;
DROP TABLE oauth_codes;
ALTER TABLE oauth_grants_next RENAME TO oauth_grants;
ALTER TABLE oauth_used_refresh_tokens_next RENAME TO oauth_used_refresh_tokens;

CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id, application_id);
CREATE INDEX oauth_grants_of_application ON oauth_grants (application_id);
CREATE INDEX oauth_grants_of_session ON oauth_grants (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;
