-- What watchers tell their owners: an ordered log of events, the listings that they show, and how far each shard has come.

create table watch_shard (
  shard smallint primary key check (shard between 0 and 63),
  position bigint not null default 0,
  fence bigint not null default 0,
  holder text,
  leased_until timestamptz
)
-- Every batch of changes updates rows here: free space on the page keeps them in place.
with (fillfactor = 25);

insert into watch_shard (shard) select generate_series(0, 63);

comment on table watch_shard is
  'The 64 parts of the matching: how far each has read the log of changes, and which process does the work.';
comment on column watch_shard.position is
  'Sequence of the last change that the shard has turned into events; written in the transaction of those events.';
comment on column watch_shard.fence is 'Grows with each new holder: a former one, late, cannot write any more.';
comment on column watch_shard.leased_until is 'By the clock of the database.';

create table watch_event (
  day date not null,
  sequence bigint not null,
  watcher_id text collate "C" not null,
  type text collate "C" not null,
  ordinal integer not null,
  owner text collate "C" not null,
  listing_id text collate "C",
  matched_on text not null,
  data json,
  at timestamptz(3) not null,
  primary key (sequence, watcher_id, type, ordinal, day)
) partition by range (day);

create index watch_event_owner on watch_event (owner, sequence, watcher_id, type, ordinal);
create index watch_event_watcher on watch_event (watcher_id, sequence, type, ordinal);

create table watch_event_default partition of watch_event default;

comment on table watch_event is
  'Events of watchers in the order (sequence, watcher_id, type, ordinal), partitioned by day; past 30 days a day is dropped.';
comment on column watch_event.day is 'UTC day of `at`.';
comment on column watch_event.sequence is 'Sequence of the change that caused the event.';
comment on column watch_event.listing_id is 'The listing whose content the event shows; null for events about the watcher itself.';
comment on column watch_event.matched_on is 'Parameters that the listing matched, as the owner wrote them, separated by commas.';
comment on column watch_event.data is 'Data of an event about the watcher itself.';
comment on table watch_event_default is 'Days without a partition of their own.';

create table watch_event_content (
  day date not null,
  sequence bigint not null,
  listing_id text collate "C" not null,
  object json,
  previous json,
  changed_fields text not null,
  primary key (sequence, listing_id, day)
) partition by range (day);

create index watch_event_content_listing on watch_event_content (listing_id);

create table watch_event_content_default partition of watch_event_content default;

comment on table watch_event_content is
  'A listing as the events of a change show it: stored once, however many watchers are told; partitioned by day like watch_event.';
comment on column watch_event_content.object is
  'Null where the listing may not be shown, or has been withdrawn since: events then show its id alone.';
comment on column watch_event_content.previous is 'Former values of the members that changed.';
comment on column watch_event_content.changed_fields is 'Members that changed, separated by commas.';
comment on table watch_event_content_default is 'Days without a partition of their own.';

create table watch_event_retention (
  singleton boolean primary key default true check (singleton),
  dropped_through bigint not null
);

insert into watch_event_retention (dropped_through) values (0);

comment on table watch_event_retention is 'One row: up to which sequence events may have been dropped.';

create table watch_hour (
  owner text collate "C" not null,
  hour timestamptz(0) not null,
  events integer not null default 0,
  dropped integer not null default 0,
  primary key (owner, hour)
) with (fillfactor = 70);

create index watch_hour_hour on watch_hour (hour);

comment on table watch_hour is 'Events of each owner and hour, where the plan limits them.';
comment on column watch_hour.dropped is 'Events beyond the limit, which were counted and not written.';
