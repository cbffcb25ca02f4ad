-- What is known about places and listings. Times are written by the service's own clock, in milliseconds.

create table area (
  -- A short number: search rows hold arrays of these, and four bytes each keep them narrow.
  no integer generated always as identity primary key,
  id text collate "C" not null unique,
  type text not null,
  name text not null,
  slug text not null,
  -- The parent as the file names it; parent_id is what it was resolved to, once that area has come.
  parent_reference text,
  parent_id text collate "C",
  external_id text not null,
  codes jsonb not null default '{}',
  aliases text[] not null default '{}',
  population integer,
  -- GeoJSON Polygon or MultiPolygon; null: the area is matched by address.
  boundary json,
  bbox double precision[],
  centroid_lng double precision,
  centroid_lat double precision,
  area_km2 double precision,
  source text not null,
  -- SHA-256 of what the file said: an import that says nothing new writes nothing.
  digest bytea not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index area_parent on area (parent_id);
create index area_type_name on area (type, name collate "C", id);
create index area_name on area (name collate "C", id);

-- One row for every word of a name or alias: the beginning of any word finds the area.
create table area_word (
  word text collate "C" not null,
  area_no integer not null references area (no) on delete cascade,
  primary key (word, area_no)
);

create index area_word_area on area_word (area_no);

-- One row. Whoever places listings takes it FOR SHARE; whoever changes areas updates it, and then places anew.
create table area_state (
  only_row boolean primary key default true check (only_row),
  version integer not null default 0
);

insert into area_state default values;

create table area_count (
  area_no integer not null references area (no) on delete cascade,
  listing_type text not null,
  active integer not null,
  primary key (area_no, listing_type)
);

create table property (
  id text collate "C" primary key,
  -- What makes two listings the same place: the id is its digest.
  identity text not null unique,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table listing (
  id text collate "C" primary key,
  source text not null,
  listing_key text not null,
  property_id text collate "C" not null references property (id),
  listing_type text not null,
  status text not null,
  -- False where the source forbids showing the listing or its address.
  displayed boolean not null,
  address_displayed boolean not null,
  version integer not null,
  -- SHA-256 of what the source said: a draft that says the same writes nothing.
  digest bytea not null,
  record json not null,
  area_nos integer[] not null,
  -- The market clock: running while clock_end is null; time on hold is taken out by moving the start.
  clock_start timestamptz,
  clock_end timestamptz,
  -- Days of earlier listings of the same property and type that this one continues.
  earlier_days integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  fetched_at timestamptz not null,
  unique (source, listing_key)
)
-- A record fits beside its row when compressed: reading a page of listings then touches one place for each.
with (toast_tuple_target = 4080);

create index listing_property on listing (property_id);
-- How fresh the catalogue is: its newest confirmation.
create index listing_fetched on listing (fetched_at);

-- The narrow row that searches read. Areas in square feet, price per month for rentals, words in lower case. Times are
-- kept to the millisecond, which is what a cursor can carry; every number is of one type, so that any bound fits it.
create table listing_search (
  id text collate "C" primary key,
  listing_type text not null,
  status text not null,
  displayed boolean not null,
  property_type text not null,
  price double precision,
  close_price double precision,
  price_per_area double precision,
  bedrooms double precision,
  bathrooms double precision,
  living_area double precision,
  lot_size double precision,
  year_built double precision,
  has_photos boolean not null,
  listed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  closed_at timestamptz(3),
  price_changed_at timestamptz(3),
  clock_start timestamptz(3),
  clock_end timestamptz(3),
  -- Rounded where the address is withheld, so that no circle finds the house.
  location point,
  area_nos integer[] not null,
  city text,
  neighborhood text,
  county text,
  state text,
  postal_code text,
  country text
);

alter table listing_search alter column area_nos set statistics 1000;

-- Most searches ask for what is ACTIVE: one small index for each sort key and direction, ending in the id that breaks ties.
create index search_active_listed on listing_search (listing_type, listed_at desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_listed_up on listing_search (listing_type, listed_at, id) where status = 'ACTIVE' and displayed;
create index search_active_updated on listing_search (listing_type, updated_at desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_updated_up on listing_search (listing_type, updated_at, id) where status = 'ACTIVE' and displayed;
create index search_active_price on listing_search (listing_type, price, id) where status = 'ACTIVE' and displayed;
create index search_active_price_down on listing_search (listing_type, price desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_per_area on listing_search (listing_type, price_per_area, id) where status = 'ACTIVE' and displayed;
create index search_active_per_area_down on listing_search (listing_type, price_per_area desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_bedrooms on listing_search (listing_type, bedrooms, id) where status = 'ACTIVE' and displayed;
create index search_active_bedrooms_down on listing_search (listing_type, bedrooms desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_bathrooms on listing_search (listing_type, bathrooms, id) where status = 'ACTIVE' and displayed;
create index search_active_bathrooms_down on listing_search (listing_type, bathrooms desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_living_area on listing_search (listing_type, living_area, id) where status = 'ACTIVE' and displayed;
create index search_active_living_area_down on listing_search (listing_type, living_area desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_year on listing_search (listing_type, year_built, id) where status = 'ACTIVE' and displayed;
create index search_active_year_down on listing_search (listing_type, year_built desc nulls last, id) where status = 'ACTIVE' and displayed;
create index search_active_price_changed_down on listing_search (listing_type, price_changed_at desc nulls last, id) where status = 'ACTIVE' and displayed;

-- Covering: a box or circle is answered from the index alone for the commonest filters and orders.
create index search_active_location on listing_search using gist (location)
  include (listing_type, price, bedrooms, bathrooms, living_area, listed_at, id) where status = 'ACTIVE' and displayed;
create index search_active_areas on listing_search using gin (area_nos) where status = 'ACTIVE' and displayed;

-- The whole history, for other statuses: kept beside the order, so that rows of another status are passed over unread.
create index search_listed on listing_search (listing_type, listed_at desc nulls last, id) include (status, displayed);
create index search_closed on listing_search (listing_type, closed_at desc nulls last, id) include (status, displayed);
create index search_updated on listing_search (listing_type, updated_at desc nulls last, id) include (status, displayed);
create index search_price on listing_search (listing_type, price, id) include (status, displayed);
create index search_location on listing_search using gist (location);
create index search_areas on listing_search using gin (area_nos);
create index search_city on listing_search (city, listing_type, status);
create index search_postal_code on listing_search (postal_code, listing_type, status);

-- What happened to a listing, written in the transaction of the change itself. Neither this table nor the one above has
-- a foreign key: one function writes all three together, and checking each row would cost as much as writing it.
create table listing_event (
  sequence bigint generated always as identity primary key,
  listing_id text collate "C" not null,
  property_id text collate "C" not null,
  listing_type text not null,
  event text not null,
  at timestamptz not null,
  price double precision,
  previous_price double precision,
  status text,
  previous_status text,
  origin text not null check (origin in ('upstream', 'observed'))
);

create index listing_event_property on listing_event (property_id, at desc, sequence desc);
create index listing_event_listing on listing_event (listing_id, at desc, sequence desc);
