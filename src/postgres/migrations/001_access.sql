-- Who may call, and how much they have called this month.

-- Subscriptions that this service issues itself. Rows are never deleted: an ended key must be told from an unknown one.
CREATE TABLE subscription (
  id text PRIMARY KEY CHECK (id ~ '^sub_[0-9a-f]{24}$'),
  tier text NOT NULL CHECK (tier IN ('free', 'pro', 'business', 'internal')),
  -- SHA-256 of the key in upper case. A key holds 122 random bits, so a slow or salted hash would protect nothing more.
  key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
  -- The key's last characters, so that people can tell keys apart.
  key_hint text NOT NULL CHECK (length(key_hint) = 4),
  label text NOT NULL DEFAULT '' CHECK (length(label) <= 200),
  -- Made at the first start for whoever installed the service.
  sample boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  -- From then on the key is refused as expired.
  ends_at timestamptz,
  -- From then on the key is refused as if it had never been.
  revoked_at timestamptz
);

-- At most one row for each caller and UTC calendar month. Every process takes requests from here before it admits them.
CREATE TABLE usage_month (
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  used integer NOT NULL CHECK (used >= 0),
  -- Size of the block last taken: RETURNING shows only new values before PostgreSQL 18.
  block integer NOT NULL CHECK (block >= 0),
  PRIMARY KEY (account, month)
) WITH (fillfactor = 70); -- Rows are updated over and over: room on the page keeps the index out of it.

-- How many requests a process takes at once when `remaining` are left: a fiftieth, at most what the tier may spend in
-- one second, and single ones near the end, so that a process that dies with its block wastes little.
CREATE FUNCTION usage_block(remaining integer, second integer) RETURNS integer
  LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN remaining < 50 THEN 1 ELSE least(remaining / 50, second) END;
