-- What happened to the sign-in of a user (sign-in/security-log). Entries are deleted after 90 days.
CREATE TABLE security_log (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- The application that the user authorized. It may be deleted.
  application_id TEXT,
  -- The name of the application, or of the server of a ban, at that time.
  target_name TEXT,
  -- Both are null if somebody else acted.
  ip TEXT,
  user_agent TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX security_log_of_user ON security_log (user_id, id);
CREATE INDEX security_log_of_kind ON security_log (user_id, kind, id);
CREATE INDEX security_log_by_time ON security_log (created_at);
