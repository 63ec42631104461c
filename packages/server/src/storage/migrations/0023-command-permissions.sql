-- A decimal bit field; null if no permission is needed (bots/default-permissions).
ALTER TABLE commands ADD COLUMN default_member_permissions TEXT;

-- Who may use a command on a server, and where (bots/command-overrides). An override of a role has role_id, one of a member user_id,
-- one of a channel channel_id, and one of all channels none of these. The foreign keys delete it with what it is about.
CREATE TABLE command_overrides (
  server_id TEXT NOT NULL,
  command_id TEXT NOT NULL REFERENCES commands (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  application_id TEXT NOT NULL,
  role_id TEXT REFERENCES roles (id) ON DELETE CASCADE,
  user_id TEXT,
  channel_id TEXT REFERENCES channels (id) ON DELETE CASCADE,
  allow SMALLINT NOT NULL,
  PRIMARY KEY (server_id, command_id, position),
  FOREIGN KEY (server_id, application_id) REFERENCES installations (server_id, application_id) ON DELETE CASCADE,
  FOREIGN KEY (server_id, user_id) REFERENCES members (server_id, user_id) ON DELETE CASCADE
);
CREATE INDEX command_overrides_by_command ON command_overrides (command_id);
CREATE INDEX command_overrides_by_application ON command_overrides (server_id, application_id);
CREATE INDEX command_overrides_by_role ON command_overrides (role_id);
CREATE INDEX command_overrides_by_user ON command_overrides (server_id, user_id);
CREATE INDEX command_overrides_by_channel ON command_overrides (channel_id);
