-- Who may call, and how much they have called this month. Times are written by the service's own clock.

-- Subscriptions that this service issues itself. Rows are never deleted: an ended key must be told from an unknown one.
create table subscription (
  id text collate "C" primary key check (id ~ '^sub_[0-9a-f]{24}$'),
  tier text not null check (tier in ('free', 'pro', 'business', 'internal')),
  -- SHA-256 of the key in upper case. A key holds 122 random bits, so a slow or salted hash would protect nothing more.
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  -- The key's last characters, so that people can tell keys apart.
  key_hint text not null check (length(key_hint) = 4),
  label text not null default '' check (length(label) <= 200),
  -- Made at the first start, for whoever installed the service.
  sample boolean not null default false,
  created_at timestamptz(3) not null,
  -- From then on the key is refused as expired.
  ends_at timestamptz(3),
  -- From then on the key is refused as if it had never been.
  revoked_at timestamptz(3)
);

-- At most one row for each caller and UTC calendar month. Every process takes requests from here before it admits them.
create table usage_month (
  account text collate "C" not null check (length(account) between 1 and 200),
  month date not null check (extract(day from month) = 1),
  used integer not null check (used >= 0),
  -- Size of the block last taken: RETURNING shows only new values before PostgreSQL 18.
  block integer not null check (block > 0),
  primary key (account, month)
) with (fillfactor = 70); -- Rows are updated over and over: room on the page keeps the index out of it.

-- Finds the months that are over.
create index usage_month_month on usage_month (month);

-- How many requests a process takes at once when `remaining` are left: a fiftieth, at most what the tier may spend in
-- one second, and single ones near the end, so that a process that dies with its block wastes little.
create function usage_block(remaining integer, second integer) returns integer
  language sql immutable
  return case when remaining < 50 then 1 else least(remaining / 50, second) end;
