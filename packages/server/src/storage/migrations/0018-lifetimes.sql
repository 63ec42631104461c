-- A session ends 90 days after its sign-in (sign-in/session-lifetime).
UPDATE sessions SET expires_at = auth_time + 7776000000 WHERE expires_at > auth_time + 7776000000;

-- When all tokens of the grant end, also if they are refreshed (sign-in/refresh-lifetime). Null before the exchange of the code.
ALTER TABLE oauth_grants ADD COLUMN ends_at BIGINT;
-- The id contains the time of the code: milliseconds since 2015, shifted by 22 bits. A year is added.
UPDATE oauth_grants SET ends_at = CAST(id AS BIGINT) / 4194304 + 1420070400000 + 31536000000
  WHERE refresh_hash IS NOT NULL;
UPDATE oauth_grants SET expires_at = ends_at WHERE expires_at > ends_at;
UPDATE oauth_grants SET access_expires_at = ends_at WHERE access_expires_at > ends_at;
