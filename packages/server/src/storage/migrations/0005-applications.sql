CREATE TABLE applications (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  icon_hash TEXT,
  type TEXT NOT NULL,
  secret_hash TEXT,
  redirect_uris TEXT NOT NULL,
  allow_loopback_port SMALLINT NOT NULL,
  interactions_endpoint_url TEXT,
  public_key TEXT NOT NULL,
  private_key_sealed TEXT NOT NULL,
  bot_user_id TEXT REFERENCES users (id),
  bot_token_hash TEXT,
  -- Incremented when a set of commands is replaced: its row lock serializes concurrent replacements.
  commands_version BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX applications_by_owner ON applications (owner_id, id);
CREATE UNIQUE INDEX applications_by_bot_token ON applications (bot_token_hash);
CREATE UNIQUE INDEX applications_by_bot_user ON applications (bot_user_id);

-- Installations of an application's bot, commands or both (sign-in/bot-installation, sign-in/commands-scope).
CREATE TABLE installations (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  permissions TEXT NOT NULL,
  role_id TEXT,
  added_by TEXT NOT NULL,
  added_at BIGINT NOT NULL,
  PRIMARY KEY (server_id, application_id)
);
CREATE INDEX installations_by_application ON installations (application_id, server_id);

-- server_id is '' for the global set, because a column of the unique key must not be null.
CREATE TABLE commands (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  options TEXT NOT NULL,
  position BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX commands_by_name ON commands (application_id, server_id, name);
CREATE INDEX commands_by_server ON commands (server_id, application_id);
