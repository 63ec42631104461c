-- A banned user is not a member and cannot join the server (community/bans).
CREATE TABLE bans (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  reason TEXT,
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX bans_by_user ON bans (user_id);

-- The end of a time-out (community/timeouts). Not a column of members, because a time-out remains if the member leaves and joins again.
CREATE TABLE timeouts (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  until BIGINT NOT NULL,
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX timeouts_by_user ON timeouts (user_id);
