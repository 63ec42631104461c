-- Leases of snowflake node numbers, with their expiry in milliseconds.
CREATE TABLE nodes (
  id BIGINT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
