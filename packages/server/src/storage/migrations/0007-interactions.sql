-- A person used a command or a button. Of an ephemeral message nothing stands here but its id (D30).
CREATE TABLE interactions (
  id TEXT PRIMARY KEY,
  -- SHA-256; '' once the token holds no more (D53).
  token_hash TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- No reference: the developer's log outlives the channel.
  channel_id TEXT NOT NULL,
  -- Null in a direct message (D56).
  server_id TEXT,
  user_id TEXT NOT NULL,
  -- command or component
  type TEXT NOT NULL,
  -- The command's name or the button's customId.
  name TEXT NOT NULL,
  nonce TEXT,
  -- The message under which the button stands.
  pressed_id TEXT,
  pressed_ephemeral SMALLINT NOT NULL,
  -- JSON: as it was sent, without its token.
  event TEXT NOT NULL,
  -- gateway, endpoint or none
  delivery TEXT NOT NULL,
  -- pending, answered, deferred, timed_out or failed; what a deadline changes is read from the deadline (D29).
  state TEXT NOT NULL,
  reason TEXT,
  -- The type of the callback, also of one that came too late.
  response TEXT,
  responded_at BIGINT,
  -- What the first response made or changed.
  original_id TEXT,
  original_ephemeral SMALLINT NOT NULL,
  created_at BIGINT NOT NULL,
  deadline_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX interactions_by_application ON interactions (application_id, id);
CREATE UNIQUE INDEX interactions_by_nonce ON interactions (user_id, channel_id, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX interactions_pending ON interactions (deadline_at) WHERE state = 'pending';
CREATE INDEX interactions_deferred ON interactions (expires_at) WHERE state = 'deferred';
