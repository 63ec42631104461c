-- Post-logout redirect URIs (JSON list) and the back-channel logout URI.
ALTER TABLE applications ADD COLUMN post_logout_redirect_uris TEXT NOT NULL DEFAULT '[]';
ALTER TABLE applications ADD COLUMN backchannel_logout_uri TEXT;

-- The session in which a code was issued; the code is deleted with it. Tokens outlive the session and only store its id.
ALTER TABLE oauth_codes ADD COLUMN session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX oauth_codes_of_session ON oauth_codes (session_id);
ALTER TABLE oauth_grants ADD COLUMN sid TEXT;

-- The applications with back-channel logout that a session was used to sign in to.
CREATE TABLE oauth_sign_ins (
  sid TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null after the session has ended: the request that ends it finds the row by its sid, the sweep finds the rest.
  session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  PRIMARY KEY (sid, application_id)
);
CREATE INDEX oauth_sign_ins_of_application ON oauth_sign_ins (application_id);
CREATE INDEX oauth_sign_ins_of_user ON oauth_sign_ins (user_id);
CREATE INDEX oauth_sign_ins_of_session ON oauth_sign_ins (session_id);
