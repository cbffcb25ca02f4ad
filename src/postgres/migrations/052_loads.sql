-- Listings that a first load creates have no changes of their own in the log: the batch says how many there are, and whoever reads
-- the log reads them from the tables.

alter table change_batch
  add column load_ordinal integer,
  add column load_listings integer,
  add check ((load_ordinal is null) = (load_listings is null));

comment on column change_batch.load_ordinal is
  'The ordinal of the first listing that a first load created in this batch; null: none. They have no rows in change.';
comment on column change_batch.load_listings is
  'How many listings it created. Those that have not changed since still have their ordinals in listing.change_ordinal.';

alter table change add column loaded_by bigint;

comment on column change.loaded_by is
  'The batch whose first load created the listing, of the first change since; what it created has no change of its own.';

create function open_load_batch(day_of_changes date, count integer, out batch_id bigint, out ordinal integer)
language plpgsql as $$
declare
  opened record;
begin
  select * into opened from open_change_batch(day_of_changes, count);
  batch_id := opened.batch_id;
  ordinal := opened.ordinal;
  update change_batch set load_ordinal = opened.ordinal, load_listings = count
  where id = opened.batch_id and load_ordinal is null;
  if not found then
    raise exception 'A transaction loads listings once';
  end if;
end $$;

comment on function open_load_batch is
  'Makes room for the listings of a first load in the batch of the current transaction, as open_change_batch does for changes.';
