-- Users, including bots. A bot has neither an email address nor a password.
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  -- As entered, and the normalized form that is unique regardless of case.
  email TEXT,
  email_key TEXT UNIQUE,
  email_verified SMALLINT NOT NULL DEFAULT 0,
  -- Argon2id hash as a PHC string.
  password_hash TEXT,
  -- The hash of the avatar in images; null for the generated one.
  avatar TEXT,
  bot SMALLINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  -- Set for a deleted bot. The row stays, because its messages reference their author.
  deleted_at BIGINT
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- When and how the user last authenticated (JSON list of RFC 8176 methods).
  auth_time BIGINT NOT NULL,
  amr TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Tokens of links in emails. Using a token deletes it.
CREATE TABLE mail_tokens (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- verify or reset
  purpose TEXT NOT NULL,
  -- The email address that the token was sent to.
  email_key TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX mail_tokens_of_user ON mail_tokens (user_id);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- One image for each owner. Its URL contains the hash, so that clients can cache it forever.
CREATE TABLE images (
  -- users, servers, applications or webhooks
  kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (kind, owner_id)
);
