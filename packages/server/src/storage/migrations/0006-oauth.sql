-- What a person allowed an application: remembered for each scope (D17).
CREATE TABLE oauth_consents (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- By its own name, never by a synonym.
  scope TEXT NOT NULL,
  granted_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, application_id, scope)
);
CREATE INDEX oauth_consents_of_application ON oauth_consents (application_id);

-- Authorization codes that were not used yet: using one deletes it.
CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Space separated, as it was asked for.
  scope TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  -- 0 where the request left redirect_uri out (D74).
  redirect_uri_sent SMALLINT NOT NULL,
  -- BASE64URL of SHA-256, null without PKCE.
  code_challenge TEXT,
  nonce TEXT,
  auth_time BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_codes_of_user ON oauth_codes (user_id, application_id);
CREATE INDEX oauth_codes_of_application ON oauth_codes (application_id);
CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);

-- What a code was exchanged for: a family of tokens, of which one access and one refresh token hold at a time. A refresh
-- puts the next pair in their place; revoking the family deletes the row.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The code it came from: presented again, it ends the family.
  code_hash TEXT NOT NULL UNIQUE,
  -- All that was granted; the access token may have less.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- Null once it was revoked alone.
  access_hash TEXT UNIQUE,
  access_scope TEXT NOT NULL,
  access_expires_at BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL UNIQUE,
  -- When the pair was issued.
  issued_at BIGINT NOT NULL,
  -- When the refresh token ends, and the family with it.
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id, application_id);
CREATE INDEX oauth_grants_of_application ON oauth_grants (application_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);

-- Refresh tokens that were used: presented again, one ends its family (D13).
CREATE TABLE oauth_used_refresh_tokens (
  hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  used_at BIGINT NOT NULL,
  -- When the token itself would have ended.
  expires_at BIGINT NOT NULL,
  -- The sealed answer that a repeat gets within the grace time; null without one and after it (D72).
  successor TEXT
);
CREATE INDEX oauth_used_refresh_tokens_of_grant ON oauth_used_refresh_tokens (grant_id);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;

-- Keys that sign id_tokens (D22). The number decides between two that are made at the same time.
CREATE TABLE oauth_signing_keys (
  number BIGINT PRIMARY KEY,
  kid TEXT NOT NULL UNIQUE,
  -- JSON Web Key; the private half is sealed.
  public_key TEXT NOT NULL,
  private_key_sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- From when it signs, until the next one does.
  active_from BIGINT NOT NULL
);
