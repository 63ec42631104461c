-- Where a person goes after a sign-out that the application asked for (JSON list), and where it is told of one.
ALTER TABLE applications ADD COLUMN post_logout_redirect_uris TEXT NOT NULL DEFAULT '[]';
ALTER TABLE applications ADD COLUMN backchannel_logout_uri TEXT;

-- The session in which a code was given: it ends with it. Tokens outlive it, and remember its id alone.
ALTER TABLE oauth_codes ADD COLUMN session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX oauth_codes_of_session ON oauth_codes (session_id);
ALTER TABLE oauth_grants ADD COLUMN sid TEXT;

-- The applications that a session was used to sign in to, of those that want to be told of its end.
CREATE TABLE oauth_sign_ins (
  sid TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null once the session is gone: whoever ends it finds the row by its sid, the sweep those that nobody ended.
  session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  PRIMARY KEY (sid, application_id)
);
CREATE INDEX oauth_sign_ins_of_application ON oauth_sign_ins (application_id);
CREATE INDEX oauth_sign_ins_of_user ON oauth_sign_ins (user_id);
CREATE INDEX oauth_sign_ins_of_session ON oauth_sign_ins (session_id);
