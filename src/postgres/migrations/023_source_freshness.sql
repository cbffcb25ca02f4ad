-- What is known of how fresh each source is, and each listing that a source has only confirmed.

-- How many records the first load of a source has, where the source tells: so that every process on the database can tell how far
-- it is, and not only the one that reads.
alter table source_position add column total integer;

-- When a source last told something, be it that a listing is as it was, or was read to its end.
create table source_freshness (
  source text collate "C" primary key,
  as_of timestamptz(3) not null
);

insert into source_freshness select source, max(fetched_at) from listing group by source;
drop index listing_fetched;

-- When a listing that did not change was last told again. Beside the listing, whose row is wide and in indexes: a file that is
-- imported again unchanged writes some forty bytes for each of its rows. Room is left on each page, so that a row that is
-- confirmed again stays on it and in its place in the index.
create table listing_confirmation (
  listing_id text collate "C" primary key,
  confirmed_at timestamptz(3) not null
) with (fillfactor = 80);
