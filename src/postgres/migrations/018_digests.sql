-- Digests: events that are held back, the schedule on which they are told together, and the cadence that an owner asked for.

alter table watcher
  add column requested_cadence text check (requested_cadence in ('instant', 'hourly', 'daily', 'weekly')),
  add column time_zone text not null default 'UTC' check (length(time_zone) between 1 and 60);

-- Nothing was sent for a plan without instant events: its watchers begin with digests.
update watcher set cadence =
  case when exists (select from watcher_owner as known where known.owner = watcher.owner and plan <> 'free')
    then 'instant' else 'daily' end
where cadence is null;

update watcher set time_zone = place.time_zone
from (
  select no, coalesce(
    (select area.time_zone from area where area.no = (search -> 'areaNos' ->> 0)::integer),
    (select listing.time_zone from listing where listing.id = target ->> 'listingId')) as time_zone
  from watcher) as place
where watcher.no = place.no and place.time_zone is not null;

alter table watcher alter column cadence set not null;

comment on column watcher.cadence is 'How soon its events are told: as its owner asked, or as the plan allows where that is slower.';
comment on column watcher.requested_cadence is 'As its owner asked; null: the fastest of the plan.';
comment on column watcher.time_zone is 'IANA time zone of its digests.';

alter table watch_event add column held boolean not null default false;

comment on column watch_event.held is 'Told in a digest only: the first watcher.digest of the watcher behind it.';

-- Readers pass by held events: a digest watcher may have a great many.
drop index watch_event_owner, watch_event_watcher;
create index watch_event_owner on watch_event (owner, sequence, watcher_id, type, ordinal) where not held;
create index watch_event_watcher on watch_event (watcher_id, sequence, type, ordinal) where not held;
create index watch_event_held on watch_event (watcher_id, sequence, type, ordinal) where held;
create index watch_event_digest on watch_event (watcher_id, sequence) where type = 'watcher.digest';

create table watch_digest (
  watcher_id text collate "C" primary key,
  held_since timestamptz(3) not null,
  due_at timestamptz(3)
);

create index watch_digest_due on watch_digest (due_at nulls first);

comment on table watch_digest is
  'Watchers with held events: a row begins with the first held event, and ends when the digest is in the log of changes.';
comment on column watch_digest.watcher_id is 'Without a reference: events of a watcher are matched after its end, too.';
comment on column watch_digest.held_since is 'The digest is due at the first time of the schedule after this.';
comment on column watch_digest.due_at is 'Null: to be computed from the cadence and the time zone of the watcher.';
