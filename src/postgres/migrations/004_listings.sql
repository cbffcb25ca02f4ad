-- Properties, their listings, and the history of each listing.

create table property (
  id text collate "C" primary key,
  identity text not null unique,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

comment on table property is 'Properties; listings of the same place belong to one property.';
comment on column property.identity is 'What makes two listings the same place, such as the normalized address; the id is its digest.';

create table listing (
  id text collate "C" primary key,
  source text not null,
  listing_key text not null,
  property_id text collate "C" not null references property (id),
  listing_type text not null,
  status text not null,
  displayed boolean not null,
  address_displayed boolean not null,
  version integer not null,
  digest bytea not null,
  record json not null,
  area_nos integer[] not null,
  time_zone text not null default 'UTC',
  days_on_market_start timestamptz,
  days_on_market_end timestamptz,
  earlier_days_on_market integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  fetched_at timestamptz not null,
  unique (source, listing_key)
)
-- A compressed record then fits beside its row, so that a page of listings reads one block for each.
with (toast_tuple_target = 4080);

create index listing_property on listing (property_id);

comment on table listing is 'Listings, each with its record as the API shows it.';
comment on column listing.listing_key is 'Key of the listing at its source.';
comment on column listing.displayed is 'False where the source forbids display of the listing.';
comment on column listing.address_displayed is 'False where the source forbids display of the address.';
comment on column listing.digest is 'SHA-256 of what the source said: an unchanged draft writes nothing.';
comment on column listing.record is 'The listing as JSON, before masking and unit conversion.';
comment on column listing.area_nos is 'Numbers (area.no) of the areas that the listing lies in.';
comment on column listing.time_zone is 'IANA time zone of the dates of the listing, taken from its areas.';
comment on column listing.days_on_market_start is 'Start of the days on market, moved on by the time on hold.';
comment on column listing.days_on_market_end is 'End of the days on market; null while the listing is on the market.';
comment on column listing.earlier_days_on_market is 'Days on market of earlier listings of the property and type that this listing continues.';
comment on column listing.fetched_at is 'When the source last told a change of the listing.';

create table listing_confirmation (
  listing_id text collate "C" primary key,
  confirmed_at timestamptz(3) not null
)
-- Free space on the page keeps a repeated confirmation in place and out of the index.
with (fillfactor = 80);

comment on table listing_confirmation is
  'When a source last confirmed a listing without a change; apart from listing, whose rows are wide and indexed.';

-- Like listing_search, without foreign keys: one function writes all of them together, and a check of each row would cost
-- as much as writing it.
create table listing_event (
  sequence bigint generated always as identity primary key,
  listing_id text collate "C" not null,
  property_id text collate "C" not null,
  listing_type text not null,
  event text not null,
  at timestamptz not null,
  day date,
  price double precision,
  previous_price double precision,
  status text,
  previous_status text,
  origin text not null check (origin in ('upstream', 'observed'))
);

create index listing_event_property on listing_event (property_id, at desc, sequence desc);
create index listing_event_listing on listing_event (listing_id, at desc, sequence desc);

comment on table listing_event is 'History of each listing, written in the transaction of the change itself.';
comment on column listing_event.at is 'When the event happened.';
comment on column listing_event.day is 'The date, where the source gave a date without a time; `at` is then its first moment in the time zone of the listing.';
comment on column listing_event.origin is 'upstream: the source gave the time; observed: the service saw the change at that time.';

create table listing_reso (
  listing_id text collate "C" primary key,
  digest bytea not null,
  record json not null
)
with (toast_tuple_target = 4080);

comment on table listing_reso is 'Listings in the original field names of RESO servers.';
comment on column listing_reso.digest is 'SHA-256 of the record: an unchanged record writes nothing.';
comment on column listing_reso.record is 'The requested fields, as they were received.';
