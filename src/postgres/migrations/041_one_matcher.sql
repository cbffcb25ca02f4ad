-- One process matches all watchers: the lease of that work has a fence, and one position takes the place of those of 64 shards.

alter table work_lease
  add column fence bigint not null default 1,
  alter column holder drop not null;

comment on table work_lease is 'Work that one process at a time does, and which one. Rows are kept.';
comment on column work_lease.holder is 'Null: the lease was given back.';
comment on column work_lease.fence is 'Grows whenever a process takes the lease: a former holder, late, cannot write any more.';

-- In the order in which processes of the former release lock the shards. With a larger fence and a lease without end, these
-- hold no shard, take none and write nothing any more.
select from watch_shard order by shard for update;
update watch_shard set fence = fence + 1, holder = 'a later release', leased_until = 'infinity';

create table watch_position (
  singleton boolean primary key default true check (singleton),
  position bigint not null
)
-- Every batch of changes updates the row: free space on the page keeps it in place.
with (fillfactor = 25);

insert into watch_position (position) select min(position) from watch_shard;

comment on table watch_position is 'One row: how far the log of changes has become events of watchers.';
comment on column watch_position.position is
  'Sequence of the last change that has become events; written in the transaction of those events.';
comment on table watch_shard is
  'The 64 parts in which a former release matched watchers. Events of a watcher up to the position of its part are written.';
comment on table watch_process is 'Processes of a former release that match watchers.';
comment on column watcher.shard is 'Which of the 64 parts of a former release it was in.';

-- All watchers are read by their numbers.
drop index watcher_shard;
create index watcher_active on watcher (no) where status = 'active';
