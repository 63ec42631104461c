-- Reports of messages and members (community/reports).
CREATE TABLE reports (
  id TEXT PRIMARY KEY,
  -- '' for a message of a direct message, which the administrators see.
  server_id TEXT NOT NULL,
  -- The channel of the message; null for a report of a member.
  channel_id TEXT,
  -- The id of the message or of the member.
  subject_id TEXT NOT NULL,
  -- The author of the message, which may be a webhook, or the member.
  user_id TEXT NOT NULL,
  reporter_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- JSON: the row of the message at that time, without its components; null for a report of a member.
  message TEXT,
  -- open, resolved or dismissed
  state TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Both are null while the report is open.
  closed_by TEXT,
  closed_at BIGINT
);
CREATE INDEX reports_of_server ON reports (server_id, id);
CREATE INDEX reports_by_state ON reports (state, server_id, id);
CREATE UNIQUE INDEX reports_open ON reports (reporter_id, server_id, subject_id) WHERE state = 'open';
CREATE INDEX reports_by_closing ON reports (closed_at) WHERE closed_at IS NOT NULL;

-- Whether the list of the user hides the direct message until its next message, or until the user opens it.
ALTER TABLE dm_members ADD COLUMN closed SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE dm_members ADD COLUMN muted SMALLINT NOT NULL DEFAULT 0;
