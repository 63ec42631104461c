-- The application whose bot created the webhook (webhooks/application); null if a person did.
ALTER TABLE webhooks ADD COLUMN application_id TEXT;
UPDATE webhooks SET application_id = (SELECT a.id FROM applications a WHERE a.bot_user_id = webhooks.created_by);
