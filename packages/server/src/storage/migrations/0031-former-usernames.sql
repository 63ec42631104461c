-- Usernames that users gave up, which only they can take again until `expires_at` (community/former-usernames).
CREATE TABLE former_usernames (
  username TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX former_usernames_of_user ON former_usernames (user_id, expires_at);
CREATE INDEX former_usernames_by_expiry ON former_usernames (expires_at);
