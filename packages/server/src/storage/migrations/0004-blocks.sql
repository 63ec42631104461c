-- Who may write to a user first: members or nobody (community/direct-message-acceptance).
ALTER TABLE users ADD COLUMN direct_messages TEXT NOT NULL DEFAULT 'members';

-- Whether the user has written in the direct message.
ALTER TABLE dm_members ADD COLUMN has_written SMALLINT NOT NULL DEFAULT 0;
UPDATE dm_members SET has_written = 1 WHERE EXISTS
  (SELECT 1 FROM messages m WHERE m.channel_id = dm_members.channel_id AND m.author_id = dm_members.user_id);

-- The users and bots that a user blocks (community/blocks).
CREATE TABLE blocks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  blocked_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, blocked_id)
);
CREATE INDEX blocks_by_blocked ON blocks (blocked_id);
