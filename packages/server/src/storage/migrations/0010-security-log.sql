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

-- The browsers in which a user has signed in (sign-in/known-devices), by the hash of the cookie `browser`.
CREATE TABLE known_devices (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  browser_hash TEXT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, browser_hash)
);

-- A new revocation exceeds all others.
CREATE INDEX grant_revocations_by_id ON grant_revocations (id);
