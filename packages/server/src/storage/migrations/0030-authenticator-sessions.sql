-- The session in which the user set up the authenticator app, and only in which it can be confirmed (sign-in/totp-confirmation).
ALTER TABLE authenticator_apps ADD COLUMN session_id TEXT;
