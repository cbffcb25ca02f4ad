-- Budgets of requests to sources: one for each connection, shared by all processes, and not forgotten by a restart.

create table source_budget (
  connection text primary key,
  blocked_until timestamptz,
  quotas json not null default '{}'
);
comment on table source_budget is 'What a source said of the requests that it takes.';
comment on column source_budget.connection is 'Server and credential, by the names in the settings: sources that share them share a budget.';
comment on column source_budget.blocked_until is 'No request is sent before: the source answered with Retry-After.';
comment on column source_budget.quotas is 'Requests that a window may have, by share and seconds, as headers of answers said last.';

create table source_use (
  connection text not null,
  share text not null check (share in ('requests', 'media')),
  seconds integer not null,
  slot bigint not null,
  requests integer not null,
  bytes bigint not null,
  primary key (connection, share, seconds, slot)
);
comment on table source_use is 'Requests of all processes to a source of late, by slots of each window.';
comment on column source_use.share is 'requests: of data; media: downloads of photos, where they have windows of their own.';
comment on column source_use.seconds is 'Length of the window; its slots are sixtieths of it.';
comment on column source_use.slot is 'Number of the slot since the epoch.';
