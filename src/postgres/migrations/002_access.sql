-- API keys, the subscriptions behind them, and the monthly usage of each caller.

create table subscription (
  id text collate "C" primary key check (id ~ '^sub_[0-9a-f]{24}$'),
  tier text not null check (tier in ('free', 'pro', 'business', 'internal')),
  -- A key holds 122 random bits, so a slow or salted hash would protect nothing more.
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  key_hint text not null check (length(key_hint) = 4),
  label text not null default '' check (length(label) <= 200),
  sample boolean not null default false,
  created_at timestamptz(3) not null,
  ends_at timestamptz(3),
  revoked_at timestamptz(3)
);

comment on table subscription is
  'Subscriptions that this service issues; rows are never deleted, so that an expired key is told from an unknown one.';
comment on column subscription.key_hash is 'SHA-256 of the API key in upper case.';
comment on column subscription.key_hint is 'The last characters of the key, so that people can tell keys apart.';
comment on column subscription.sample is 'True for the keys that the first start creates for whoever installed the service.';
comment on column subscription.ends_at is 'From this time on the key is refused as expired.';
comment on column subscription.revoked_at is 'From this time on the key is refused as unknown.';

create table monthly_usage (
  account text collate "C" not null check (length(account) between 1 and 200),
  month date not null check (extract(day from month) = 1),
  used integer not null check (used >= 0),
  -- RETURNING shows only new values before PostgreSQL 18, so the size is stored.
  lease_size integer not null check (lease_size > 0),
  primary key (account, month)
)
-- Rows are updated often: free space on the page keeps these updates out of the indexes.
with (fillfactor = 70);

create index monthly_usage_month on monthly_usage (month);

comment on table monthly_usage is 'Requests of each caller in each UTC calendar month.';
comment on column monthly_usage.used is 'Requests that processes have leased; a process leases requests before it admits them.';
comment on column monthly_usage.lease_size is 'Number of requests that were leased last.';
comment on index monthly_usage_month is 'Finds the months that are over.';

create function quota_lease_size(remaining integer, per_second integer) returns integer
  language sql immutable
  return case when remaining < 50 then 1 else least(remaining / 50, per_second) end;

comment on function quota_lease_size(integer, integer) is
  'Number of requests that a process leases when `remaining` are left: a fiftieth, at most `per_second`, what the tier may spend in one second, and single requests near the end, so that a process that crashes wastes few.';
