CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  -- D40: it dies with its channel, not with the membership of who made it.
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  -- 0 to 14, each once in a channel: the index decides that there are 15 at most.
  place BIGINT NOT NULL,
  name TEXT NOT NULL,
  avatar TEXT,
  token_hash TEXT NOT NULL,
  -- So that channel settings can show the address again (D6).
  token_sealed TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE UNIQUE INDEX webhooks_by_place ON webhooks (channel_id, place);

-- What came of the last posts.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- message, slack or github
  route TEXT NOT NULL,
  status BIGINT NOT NULL,
  message_id TEXT,
  -- Of a refused one: why, what of the body is wrong, and how the body begins.
  reason TEXT,
  field TEXT,
  body TEXT,
  PRIMARY KEY (webhook_id, id)
);
