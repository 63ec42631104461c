-- People and bots. A bot has neither address nor password.
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  -- As it was given, and the form by which it is unique whatever its case.
  email TEXT,
  email_key TEXT UNIQUE,
  email_verified SMALLINT NOT NULL DEFAULT 0,
  -- PHC text of argon2id.
  password_hash TEXT,
  -- The hash of the picture in images, null for the generated one.
  avatar TEXT,
  bot SMALLINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  -- Set for a bot that was deleted: the row stays, its messages keep their author.
  deleted_at BIGINT
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- When the person last proved who they are, and how (JSON list of methods of RFC 8176).
  auth_time BIGINT NOT NULL,
  amr TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- What a link in a mail carries: it is deleted when it is used.
CREATE TABLE mail_tokens (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- verify or reset
  purpose TEXT NOT NULL,
  -- The address it was sent to.
  email_key TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX mail_tokens_of_user ON mail_tokens (user_id);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- One picture for each owner; the address carries the hash, so that it can be kept for ever by whoever fetched it.
CREATE TABLE images (
  -- users, servers, applications or webhooks
  kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (kind, owner_id)
);
