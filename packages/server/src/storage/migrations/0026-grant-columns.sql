-- A grant keeps its 100 newest used refresh tokens (sign-in/refresh-reuse): a refresh overwrites the token in its slot, which is the number of
-- refreshes before it, modulo 100. Null in a row that a node of the previous version inserts during an upgrade.
CREATE TABLE oauth_used_refresh_tokens_next (
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- When the token would have expired.
  expires_at BIGINT NOT NULL,
  -- The sealed response for a retry within the grace period; null after it (sign-in/refresh-grace).
  successor TEXT,
  slot BIGINT,
  PRIMARY KEY (grant_id, hash)
);
-- The oldest tokens are overwritten first.
INSERT INTO oauth_used_refresh_tokens_next (grant_id, hash, used_at, expires_at, successor, slot)
SELECT grant_id, hash, used_at, expires_at, successor, 100 - place FROM (
  SELECT grant_id, hash, used_at, expires_at, successor,
    ROW_NUMBER() OVER (PARTITION BY grant_id ORDER BY used_at DESC, hash) AS place
  FROM oauth_used_refresh_tokens) ranked
WHERE place <= 100;
DROP TABLE oauth_used_refresh_tokens;
ALTER TABLE oauth_used_refresh_tokens_next RENAME TO oauth_used_refresh_tokens;

CREATE UNIQUE INDEX oauth_used_refresh_tokens_by_slot ON oauth_used_refresh_tokens (slot, grant_id);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;

-- The number of refreshes.
ALTER TABLE oauth_grants ADD COLUMN refreshes BIGINT NOT NULL DEFAULT 0;
-- The last of the revocations that apply to the grant and were before it; '' without one. Later ones revoke it (0027-grant-revocations.sql).
ALTER TABLE oauth_grants ADD COLUMN revocation TEXT NOT NULL DEFAULT '';
