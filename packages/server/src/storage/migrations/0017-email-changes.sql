-- The purpose of a mail token is verify, change or reset. A token with the purpose change replaces the email address of the user
-- with this one, as entered.
ALTER TABLE mail_tokens ADD COLUMN new_email TEXT;
