-- What members without a role need to write (community/verification-level).
ALTER TABLE servers ADD COLUMN verification_level TEXT NOT NULL DEFAULT 'none';

-- The seconds that a member waits after each message (community/slow-mode).
ALTER TABLE channels ADD COLUMN slow_mode SMALLINT NOT NULL DEFAULT 0;
-- The last messages of members in channels with slow mode, for at most six hours. No row is deleted with its channel.
CREATE TABLE slow_mode_turns (
  channel_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  sent_at BIGINT NOT NULL,
  PRIMARY KEY (channel_id, user_id)
);
CREATE INDEX slow_mode_turns_by_time ON slow_mode_turns (sent_at);

-- The category of a channel (community/categories). The deletion of the category sets it to null.
ALTER TABLE channels ADD COLUMN parent_id TEXT;
