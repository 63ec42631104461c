CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The hash of the icon in images, or null.
  icon TEXT,
  owner_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL
);
CREATE INDEX servers_by_owner ON servers (owner_id);

-- @everyone is the role whose id is the server's (community/everyone-role).
CREATE TABLE roles (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  permissions TEXT NOT NULL,
  color BIGINT NOT NULL,
  position BIGINT NOT NULL,
  -- The bot whose managed role it is (sign-in/bot-installation, community/permission-hierarchy).
  bot_id TEXT REFERENCES users (id)
);
CREATE INDEX roles_of_server ON roles (server_id, position, id);
CREATE UNIQUE INDEX roles_of_bot ON roles (bot_id, server_id) WHERE bot_id IS NOT NULL;

CREATE TABLE members (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  nick TEXT,
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id, server_id);

CREATE TABLE member_roles (
  server_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, user_id, role_id),
  FOREIGN KEY (server_id, user_id) REFERENCES members (server_id, user_id) ON DELETE CASCADE
);
CREATE INDEX member_roles_by_role ON member_roles (role_id);

-- server_id, name and topic are null for a direct message (bots/interaction-payload).
CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  server_id TEXT REFERENCES servers (id) ON DELETE CASCADE,
  -- text or dm
  type TEXT NOT NULL,
  name TEXT,
  topic TEXT,
  position BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX channels_of_server ON channels (server_id, position, id);

-- Two rows for a direct message, one for each member. The key allows only one channel for each pair.
CREATE TABLE dm_members (
  user_id TEXT NOT NULL REFERENCES users (id),
  partner_id TEXT NOT NULL REFERENCES users (id),
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, partner_id)
);
CREATE UNIQUE INDEX dm_members_by_channel ON dm_members (channel_id, user_id);
CREATE INDEX dm_members_by_user ON dm_members (user_id, channel_id);

CREATE TABLE overwrites (
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  -- A role's or a member's id. It stays when a member leaves, so that a denial applies again if the member returns.
  target_id TEXT NOT NULL,
  -- role or member
  type TEXT NOT NULL,
  allow TEXT NOT NULL,
  deny TEXT NOT NULL,
  PRIMARY KEY (channel_id, target_id)
);
CREATE INDEX overwrites_by_target ON overwrites (target_id);

CREATE TABLE invites (
  code TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  creator_id TEXT NOT NULL REFERENCES users (id),
  -- Null for an unlimited number of uses.
  max_uses BIGINT,
  uses BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX invites_of_server ON invites (server_id);
CREATE INDEX invites_by_expiry ON invites (expires_at);
