-- What administrators have set. At most one row, with the id 1. The default applies without it, and for null.
CREATE TABLE instance_settings (
  id SMALLINT PRIMARY KEY,
  registration TEXT,
  server_creation TEXT,
  name TEXT,
  -- The hash of the image.
  logo TEXT,
  -- Until the first registration (administration/first-administrator).
  administrator_code_hash TEXT
);
