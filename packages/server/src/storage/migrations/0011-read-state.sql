-- Up to which message a person has read a channel, where that is further than their membership begins.
CREATE TABLE read_marks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  last_read_id TEXT NOT NULL,
  PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX read_marks_of_channel ON read_marks (channel_id);

-- An id made when the person joined: what was said before is no news to them.
ALTER TABLE members ADD COLUMN read_to TEXT NOT NULL DEFAULT '0';

-- What was said before there were marks counts as read.
UPDATE members SET read_to = COALESCE((SELECT MAX(id) FROM messages), '0');
INSERT INTO read_marks (user_id, channel_id, last_read_id)
SELECT user_id, channel_id, COALESCE((SELECT MAX(id) FROM messages), '0') FROM dm_members;

-- Whom the messages of servers notify: for counting alone, what a message shows stands with it.
CREATE TABLE mentions (
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL,
  -- A user's or a role's id; the server's for everyone (D58).
  target_id TEXT NOT NULL,
  PRIMARY KEY (message_id, target_id)
);
CREATE INDEX mentions_by_target ON mentions (channel_id, target_id, message_id);
