-- Processes of the service on this database.

create unlogged table node (
  name text collate "C" primary key,
  version text not null,
  source text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  search_state text not null,
  search_lag_ms bigint
);

comment on table node is 'Processes that serve this database, and those that have ended within the last hour. Lost by a crash: each writes its row again within seconds.';
comment on column node.name is 'Host and process id, which holders of work_lease begin with.';
comment on column node.seen_at is 'By the clock of the database: a process that is not seen for ten seconds is gone.';
