-- The last message that a user has read in a channel, if it is after the start of the membership.
CREATE TABLE read_marks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  last_read_id TEXT NOT NULL,
  PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX read_marks_of_channel ON read_marks (channel_id);

-- An id created when the user joined: earlier messages count as read.
ALTER TABLE members ADD COLUMN read_to TEXT NOT NULL DEFAULT '0';

-- Messages from before this migration count as read.
UPDATE members SET read_to = COALESCE((SELECT MAX(id) FROM messages), '0');
INSERT INTO read_marks (user_id, channel_id, last_read_id)
SELECT user_id, channel_id, COALESCE((SELECT MAX(id) FROM messages), '0') FROM dm_members;

-- The mentions of server messages, for unread counts. The mentions that a message shows are stored with it.
CREATE TABLE mentions (
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL,
  -- A user's or a role's id, or the server's id for everyone (community/everyone-role).
  target_id TEXT NOT NULL,
  PRIMARY KEY (message_id, target_id)
);
CREATE INDEX mentions_by_target ON mentions (channel_id, target_id, message_id);
