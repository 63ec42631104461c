-- All earlier grants of a user, of an application, or of both are revoked: '' stands for all users or all applications. A sweep deletes
-- the grants in batches, and then the row.
CREATE TABLE grant_revocations (
  user_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  -- Increases with each revocation.
  id TEXT NOT NULL,
  -- The last revocation that is about the consents of the user too; '' for none.
  consents_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, application_id)
);

-- The grants that are not revoked.
CREATE VIEW valid_grants AS
SELECT id, application_id, user_id, code_hash, scope, redirect_uri, redirect_uri_sent, code_challenge, nonce, auth_time, amr, session_id,
  sid, access_hash, access_scope, access_expires_at, refresh_hash, issued_at, expires_at, refreshes
FROM oauth_grants
WHERE NOT EXISTS (
  SELECT 1 FROM grant_revocations r
  WHERE r.user_id IN (oauth_grants.user_id, '') AND r.application_id IN (oauth_grants.application_id, '')
    AND r.id > oauth_grants.revocation
);

-- The last revocation before the consent; '' without one.
ALTER TABLE oauth_consents ADD COLUMN revocation TEXT NOT NULL DEFAULT '';

-- The consents that are not revoked.
CREATE VIEW valid_consents AS
SELECT user_id, application_id, scope, granted_at, last_used_at
FROM oauth_consents
WHERE NOT EXISTS (
  SELECT 1 FROM grant_revocations r
  WHERE r.user_id = oauth_consents.user_id AND r.application_id = '' AND r.consents_id > oauth_consents.revocation
);
