-- Notices of months that are nearly used up, and what agents asked, where that is recorded.

create table quota_notice (
  account text collate "C" not null,
  month date not null,
  threshold smallint not null,
  noticed_at timestamptz(3) not null,
  primary key (account, month, threshold)
);

comment on table quota_notice is 'Shares of a month of requests, in percent, whose owner was notified that they are used: once each, whichever process noticed.';

create table agent_query (
  day date not null,
  at timestamptz(3) not null,
  account text collate "C" not null,
  client text collate "C" not null,
  address text not null,
  tool text not null,
  arguments text not null,
  outcome text not null
) partition by range (day);

create index agent_query_at on agent_query (at);
create table agent_query_default partition of agent_query default;

comment on table agent_query is 'What agents asked, where AUDIT_QUERIES is on: partitioned by day, which is dropped after 90 days.';
comment on column agent_query.address is 'The network of the client: of IPv4 the first three numbers, of IPv6 the first three groups.';
comment on column agent_query.arguments is 'JSON without keys, cut where it is long.';
comment on table agent_query_default is 'Days without a partition of their own.';
