CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  -- webhooks/lifetime: deleted with its channel, not with the membership of its creator.
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  -- 0 to 14, unique in a channel: the index limits a channel to 15 webhooks.
  place BIGINT NOT NULL,
  name TEXT NOT NULL,
  avatar TEXT,
  token_hash TEXT NOT NULL,
  -- Sealed, so that the channel settings can show the URL again (community/secrets).
  token_sealed TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE UNIQUE INDEX webhooks_by_place ON webhooks (channel_id, place);

-- The log of recent deliveries.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- message, slack or github
  route TEXT NOT NULL,
  status BIGINT NOT NULL,
  message_id TEXT,
  -- For a rejected delivery: the reason, the invalid field and the start of the body.
  reason TEXT,
  field TEXT,
  body TEXT,
  PRIMARY KEY (webhook_id, id)
);
