-- All earlier grants of a user, of an application, or of both are revoked: '' stands for all users or all applications. A sweep deletes
-- the grants in batches, and then the row.
CREATE TABLE grant_revocations (
  user_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  -- Increases with each revocation.
  id TEXT NOT NULL,
  PRIMARY KEY (user_id, application_id)
);
