-- What each caller of the explorer has seen in a day, counted by all processes together.

create table explorer_usage (
  account text collate "C" not null check (length(account) between 1 and 200),
  day date not null,
  kind text collate "C" not null check (kind in ('pins', 'homes')),
  used integer not null check (used >= 0),
  -- RETURNING shows only new values before PostgreSQL 18, so the size is stored.
  lease_size integer not null check (lease_size > 0),
  primary key (account, day, kind)
)
with (fillfactor = 70);

create index explorer_usage_day on explorer_usage (day);

comment on table explorer_usage is 'Pins and single homes that each caller of the explorer was shown in a UTC day; rows are kept until the day after.';
comment on column explorer_usage.used is 'What processes have leased; a process leases a block before it shows anything of it.';
comment on column explorer_usage.lease_size is 'Size of the last block that was leased.';
