-- Who holds which snowflake node number, and until when (milliseconds).
CREATE TABLE nodes (
  id BIGINT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
