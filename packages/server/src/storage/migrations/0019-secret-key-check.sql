-- One row: a value that only the SECRET_KEY of this service can decrypt. A node with another key does not start.
CREATE TABLE secret_key_check (
  id BIGINT PRIMARY KEY,
  sealed TEXT NOT NULL
);
