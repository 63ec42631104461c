-- Codes and tokens say the id of their family, and are found by it (docs/decisions/tokens.md). Those that were given before
-- do not, and end here; what people allowed stays, so that an application gets new ones by one redirect.
DROP TABLE oauth_used_refresh_tokens;
DROP TABLE oauth_grants;
DROP TABLE oauth_codes;

-- Authorization codes that were not used yet: using one deletes it.
CREATE TABLE oauth_codes (
  -- Of the family of tokens that comes of it. Ids grow with time: the sweep finds the oldest codes by theirs.
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
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
  -- How the person proved who they are (JSON list of methods of RFC 8176), for the id_token.
  amr TEXT NOT NULL,
  -- The session in which it was given: it ends with it.
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_codes_of_user ON oauth_codes (user_id, application_id);
CREATE INDEX oauth_codes_of_application ON oauth_codes (application_id);
CREATE INDEX oauth_codes_of_session ON oauth_codes (session_id);

-- What a code was exchanged for: a family of tokens, of which one access and one refresh token hold at a time. A refresh
-- puts the next pair in their place; revoking the family deletes the row.
CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The code it came from: presented again, it ends the family.
  code_hash TEXT NOT NULL,
  -- All that was granted; the access token may have less.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- As that of the code.
  amr TEXT NOT NULL,
  -- The session of the sign-in, which may have ended.
  sid TEXT,
  -- Null once it was revoked alone.
  access_hash TEXT,
  access_scope TEXT NOT NULL,
  access_expires_at BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL,
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
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- When the token itself would have ended.
  expires_at BIGINT NOT NULL,
  -- The sealed answer that a repeat gets within the grace time; null without one and after it (D72).
  successor TEXT,
  PRIMARY KEY (grant_id, hash)
);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;
