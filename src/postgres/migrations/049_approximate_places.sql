-- Approximate places: how precise the location of a listing is, and what geocoders answered.

alter table listing_search
  add column precision text collate "C" default 'exact',
  add column guessed boolean not null default false;

-- Rows are written with both columns from here on; those of before are exact, but for these.
update listing_search set precision = null where location is null;
update listing_search set precision = 'approximate' from listing
where listing.id = listing_search.id and location is not null
  and (not address_displayed or record -> 'location' ->> 'precision' = 'approximate');

alter table listing_search alter column precision drop default;

comment on column listing_search.precision is 'exact or approximate, as readers see it; null: no location.';
comment on column listing_search.guessed is
  'Whether the location follows from the name of a town, a postal code or a street.';

-- Listings of which no address was asked about yet, or only without an exact answer.
create index listing_search_unlocated on listing_search (id) where location is null or guessed;

create table geocoded_address (
  key bytea primary key check (octet_length(key) = 16),
  lat double precision,
  lng double precision,
  precision text collate "C" check (precision in ('exact', 'approximate')),
  asked_at timestamptz(3) not null,
  retry_at timestamptz(3),
  check ((lat is null) = (precision is null) and (lng is null) = (precision is null))
);

comment on table geocoded_address is 'What a geocoder answered for an address, asked once for all listings with it.';
comment on column geocoded_address.key is 'The first half of the SHA-256 of the address, its spelling folded.';
comment on column geocoded_address.precision is 'exact: of the house itself; null: the geocoder knows no such address.';
comment on column geocoded_address.retry_at is 'When it is asked again; null: the answer stays.';

-- Listings that have an address and no coordinates get an approximate place.
insert into stored_review (name, finished_at)
select 'places', case when exists (select from listing) then null else now() end;
