-- Names and avatars of users and bots are read from users. Those of a webhook are stored here (webhooks/message-object).
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  server_id TEXT,
  -- A user's or a webhook's id.
  author_id TEXT NOT NULL,
  webhook_id TEXT,
  webhook_name TEXT,
  webhook_avatar TEXT,
  application_id TEXT,
  interaction_id TEXT,
  -- JSON: {id, type, name, userId}.
  interaction TEXT,
  content TEXT NOT NULL,
  -- JSON lists.
  embeds TEXT NOT NULL,
  components TEXT NOT NULL,
  -- JSON: {users, roles, everyone} with ids; '' for no mentions.
  mentions TEXT NOT NULL,
  -- sent or deferred
  state TEXT NOT NULL,
  nonce TEXT,
  created_at BIGINT NOT NULL,
  edited_at BIGINT
);
CREATE INDEX messages_of_channel ON messages (channel_id, id);
CREATE UNIQUE INDEX messages_by_nonce ON messages (author_id, channel_id, nonce) WHERE nonce IS NOT NULL;
