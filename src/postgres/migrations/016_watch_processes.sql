-- Processes that share the matching of watchers.

create table watch_process (
  holder text collate "C" primary key,
  live_until timestamptz not null
);

comment on table watch_process is
  'Processes that match watchers: each takes its part of the shards that are live here, those that hold none included.';
comment on column watch_process.live_until is 'By the clock of the database; a process renews it with its leases.';

create index change_watcher on change (watcher_id, batch_id) where watcher_id is not null;

comment on index change_watcher is 'How a watcher was when a shard last wrote its position.';
