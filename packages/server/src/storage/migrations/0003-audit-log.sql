-- Who did what to whom (community/audit-log). Entries are deleted after 90 days.
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  -- '' for the audit log of the instance.
  server_id TEXT NOT NULL,
  -- A user or bot; null for a command of the operator.
  actor_id TEXT,
  action TEXT NOT NULL,
  target_type TEXT NOT NULL,
  -- The id of a target that may be deleted, and its name at that time.
  target_id TEXT NOT NULL,
  target_name TEXT NOT NULL,
  -- JSON: [{key, before, after}].
  changes TEXT NOT NULL,
  reason TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX audit_log_of_server ON audit_log (server_id, id);
CREATE INDEX audit_log_of_actor ON audit_log (actor_id, server_id, id);
CREATE INDEX audit_log_of_target ON audit_log (target_id, server_id, id);
CREATE INDEX audit_log_of_action ON audit_log (action, server_id, id);
CREATE INDEX audit_log_by_time ON audit_log (created_at);

-- CREATE_INVITE is new. Every member could create invites before.
UPDATE roles SET permissions = CAST(CAST(permissions AS BIGINT) | 1 AS TEXT) WHERE id = server_id;
