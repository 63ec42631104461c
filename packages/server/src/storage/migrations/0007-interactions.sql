-- Uses of commands and buttons. Of an ephemeral message only the id is stored (bots/ephemeral).
CREATE TABLE interactions (
  id TEXT PRIMARY KEY,
  -- SHA-256; '' after the token has become invalid (bots/bot-removed).
  token_hash TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- Not a foreign key: the developer's log outlives the channel.
  channel_id TEXT NOT NULL,
  -- Null in a direct message (bots/interaction-payload).
  server_id TEXT,
  user_id TEXT NOT NULL,
  -- command or component
  type TEXT NOT NULL,
  -- The command's name or the button's customId.
  name TEXT NOT NULL,
  nonce TEXT,
  -- The message with the button.
  pressed_id TEXT,
  pressed_ephemeral SMALLINT NOT NULL,
  -- JSON: the dispatched event without its token.
  event TEXT NOT NULL,
  -- gateway, endpoint or none
  delivery TEXT NOT NULL,
  -- pending, answered, deferred, timed_out or failed. A passed deadline counts by the clock before it is written here (bots/interaction-states).
  state TEXT NOT NULL,
  reason TEXT,
  -- The type of the callback, also if it was too late.
  response TEXT,
  responded_at BIGINT,
  -- The message that the first response created or changed.
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
