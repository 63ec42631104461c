-- Why authorization and token requests of an application failed (sign-in/failures). Entries are deleted after 7 days.
CREATE TABLE sign_in_failures (
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  -- authorization or token
  endpoint TEXT NOT NULL,
  error TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- The same failure within an hour is one entry.
  count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  PRIMARY KEY (application_id, id)
);
CREATE INDEX sign_in_failures_by_time ON sign_in_failures (last_at);

-- More about a rejected delivery (webhooks/delivery-log). Null for deliveries that an earlier version logged.
ALTER TABLE webhook_deliveries ADD COLUMN errors TEXT;
ALTER TABLE webhook_deliveries ADD COLUMN body_bytes BIGINT;
ALTER TABLE webhook_deliveries ADD COLUMN content_type TEXT;
