-- The channel that the invite was created for (community/invite-channel); null for none.
ALTER TABLE invites ADD COLUMN channel_id TEXT;

-- The messages of users who were banned together, which are deleted after the bans (community/bulk-bans).
CREATE TABLE message_deletions (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  -- A list of user ids as JSON.
  author_ids TEXT NOT NULL,
  -- The messages since this time.
  since BIGINT NOT NULL,
  -- Until then, the node that has started the deletion continues it.
  due_at BIGINT NOT NULL
);
CREATE INDEX message_deletions_by_server ON message_deletions (server_id);
CREATE INDEX message_deletions_by_time ON message_deletions (due_at);
