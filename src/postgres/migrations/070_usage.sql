-- The record of use: what was asked and shown by which way, by hour for 90 days and by day for 400.

create table usage_hour (
  day date not null,
  hour timestamptz(0) not null,
  account text collate "C" not null,
  client text collate "C" not null,
  tier text collate "C" not null,
  channel text collate "C" not null,
  operation text collate "C" not null,
  status smallint not null,
  source text collate "C" not null,
  requests bigint not null default 0,
  listings bigint not null default 0,
  bytes bigint not null default 0,
  primary key (account, hour, channel, operation, status, source, client, tier, day)
) partition by range (day);

create table usage_hour_default partition of usage_hour default;

comment on table usage_hour is 'Use by hour: partitioned by day, which is dropped after 90 days. Processes add to it once a minute.';
comment on column usage_hour.day is 'UTC day of `hour`.';
comment on column usage_hour.account is '`sub:` and a subscription, an owner of watchers, `source:` and a source that programs push to, `anonymous`, or `(other)`.';
comment on column usage_hour.client is 'The OAuth client; empty: none.';
comment on column usage_hour.channel is 'Empty: the operation shows no listings.';
comment on column usage_hour.status is 'First digit of the status of the answers; 0: there was none.';
comment on column usage_hour.source is 'Empty: the row of the requests and bytes. Else the row of the listings of this source that those answers showed, which has neither.';
comment on table usage_hour_default is 'Days without a partition of their own.';

create table usage_day (
  day date not null,
  account text collate "C" not null,
  client text collate "C" not null,
  tier text collate "C" not null,
  channel text collate "C" not null,
  operation text collate "C" not null,
  status smallint not null,
  source text collate "C" not null,
  requests bigint not null default 0,
  listings bigint not null default 0,
  bytes bigint not null default 0,
  primary key (account, day, channel, operation, status, source, client, tier)
) with (fillfactor = 70);

create index usage_day_day on usage_day (day);

comment on table usage_day is 'Sums of usage_hour by day, written with it; kept for 400 days.';
