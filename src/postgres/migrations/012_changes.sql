-- The log of changes: what happened to listings, in the order in which it was committed.

create sequence change_sequence as bigint;

create table change_batch (
  id bigint generated always as identity primary key,
  day date not null,
  changes integer not null,
  first_sequence bigint,
  committed_at timestamptz(3)
);

create unique index change_batch_sequence on change_batch (first_sequence);

-- A sequence follows its table to another owner.
alter sequence change_sequence owned by change_batch.first_sequence;

comment on table change_batch is
  'One row for each transaction that wrote changes; rows outlive the changes as long as a listing was last changed by them.';
comment on column change_batch.id is
  'Given by the first statement that writes a change: it joins the rows of one transaction, and says nothing of order.';
comment on column change_batch.day is 'The day of the changes, which is their partition.';
comment on column change_batch.changes is 'How many changes the transaction wrote.';
comment on column change_batch.first_sequence is
  'Given by COMMIT, under a lock: whoever sees a number has seen all smaller ones. Numbers may be missing, never late.';
comment on column change_batch.committed_at is 'By the clock of the database.';

create table change (
  batch_id bigint not null,
  ordinal integer not null,
  day date not null,
  at timestamptz(3) not null,
  kind text not null check (kind in ('created', 'updated', 'removed', 'watcher')),
  listing_id text collate "C",
  property_id text collate "C",
  watcher_id text collate "C",
  action text,
  quiet boolean not null,
  changed text[] not null,
  after json,
  before json,
  words_before tsvector,
  primary key (batch_id, ordinal, day)
) partition by range (day);

-- Days that nobody has made a partition for: a log must never refuse a row.
create table change_default partition of change default;

comment on table change_default is 'Changes of days without a partition of their own.';

create index change_words on change (listing_id, batch_id) where words_before is not null;

comment on table change is
  'The log of changes, partitioned by day. The sequence of a change is change_batch.first_sequence + ordinal.';
comment on column change.ordinal is 'Place among the changes of the batch, from 0.';
comment on column change.at is 'When the service wrote it, by its own clock.';
comment on column change.kind is
  'created, updated, removed: a listing; removed is the change to the status DELETED. watcher: a private entry, which is no change of a listing.';
comment on column change.action is 'What happened to the watcher, of private entries.';
comment on column change.quiet is 'Written by the first load or the first import of a source: told to nobody.';
comment on column change.changed is 'Names of the members of the listing that differ.';
comment on column change.after is 'State of the listing after the change: {row, listing}; of private entries their data.';
comment on column change.before is 'What differed before the change, in the same form; null: there was no listing.';
comment on column change.words_before is 'listing_text.words before the change, where they may differ.';

create table change_log (
  retained_from bigint not null
);

create unique index change_log_one on change_log ((true));

comment on table change_log is 'One row: the state of the log.';
comment on column change_log.retained_from is
  'Changes from this sequence on are in the log; of earlier ones, each listing knows its last.';

create function open_change_batch(day_of_changes date, count integer, out batch_id bigint, out ordinal integer, out day date)
language plpgsql as $$
declare
  -- Local to the transaction; rolled back with a savepoint, as the row is.
  opened bigint := nullif(current_setting('freehold.change_batch', true), '');
begin
  if opened is null then
    insert into change_batch (day, changes) values (day_of_changes, count) returning id into batch_id;
    ordinal := 0;
    day := day_of_changes;
    perform set_config('freehold.change_batch', batch_id::text, true);
  else
    update change_batch as batch set changes = changes + count where id = opened
    returning batch.id, batch.changes - count, batch.day into batch_id, ordinal, day;
  end if;
end $$;

comment on function open_change_batch is
  'Makes room for changes in the batch of the current transaction, which it opens where there is none. Returns the batch, the ordinal of the first of these changes, and the day of the batch.';

create function commit_change_batch() returns trigger language plpgsql as $$
begin
  -- Held from here to the end of COMMIT: no client can keep it.
  perform pg_advisory_xact_lock(7310512);
  update change_batch
  set first_sequence = setval('change_sequence', nextval('change_sequence') + changes - 1) - changes + 1,
    committed_at = clock_timestamp()
  where id = new.id;
  perform pg_notify('changes', '');
  return null;
end $$;

comment on function commit_change_batch() is
  'Gives the changes of a transaction their sequence, inside COMMIT and one transaction at a time.';

-- Listings that are there already count as one batch.
insert into change_batch (day, changes, first_sequence, committed_at)
select current_date, count(*), 1, now() from listing having count(*) > 0;

insert into change_log select count(*) + 1 from listing;

select setval('change_sequence', count(*)) from listing having count(*) > 0;

alter table listing add column change_batch_id bigint, add column change_ordinal integer;

update listing set change_batch_id = batch.id, change_ordinal = place.ordinal
from change_batch as batch,
  (select id, row_number() over (order by updated_at, id) - 1 as ordinal from listing) as place
where place.id = listing.id;

create index listing_change on listing (change_batch_id, change_ordinal);

comment on column listing.change_batch_id is 'The batch of the last change of the listing.';
comment on column listing.change_ordinal is 'The ordinal of the last change of the listing in its batch.';

create constraint trigger change_batch_committed after insert on change_batch
  deferrable initially deferred for each row execute function commit_change_batch();

alter table import_run add column loaded_at timestamptz(3);

update import_run set loaded_at = finished_at;

comment on column import_run.loaded_at is
  'When an import of the source was finished for the first time; until then nobody is told of its changes.';
