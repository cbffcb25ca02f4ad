-- What market statistics are made of, worked out anew for a property whenever one of its listings is written.

-- The zone whose calendar its periods follow, such as America/Chicago; null: its parent's, else UTC.
alter table area add column time_zone text;

-- What must be known of each listing besides its history.
create table market_listing (
  listing_id text collate "C" primary key,
  property_id text collate "C" not null,
  listing_type text not null,
  status text not null,
  created_at timestamptz not null,
  on_market_on timestamptz,
  clock_end timestamptz,
  list_price double precision,
  original_price double precision,
  close_price double precision,
  -- How many of the periods that prices are for make a month; null where that cannot be said. 1 for sales.
  per_month double precision,
  months_free double precision
);

create index market_listing_property on market_listing (property_id);

-- One row for each stretch of time in which a listing was its property's latest, on the market, at one price.
create table market_stay (
  property_id text collate "C" not null,
  listing_id text collate "C" not null,
  on_at timestamptz not null,
  -- Infinity while it lasts.
  off_at timestamptz not null,
  -- When a later listing of the same property and type took its place; infinity if none has.
  superseded_at timestamptz not null,
  -- The first moment on the market, moved on by the time on hold.
  aged_from timestamptz not null,
  price double precision,
  months_free double precision,
  check (on_at < off_at)
);

create index market_stay_property on market_stay (property_id);
create index market_stay_off on market_stay (off_at);

-- One row for each thing that happened to a listing.
create table market_event (
  property_id text collate "C" not null,
  listing_id text collate "C" not null,
  listing_type text not null,
  kind text not null,
  at timestamptz not null,
  -- Asked (new, relisted) or paid (closed); of rentals, per month.
  price double precision,
  -- On the market until then (left, ended), or from coming on the market to leaving it (new, with its fraction).
  days double precision,
  -- Paid to asked (closed); percent (drop).
  ratio double precision,
  original_ratio double precision
);

create index market_event_property on market_event (property_id);
create index market_event_kind on market_event (kind, at);

-- One row. False while listings written by an earlier release are still to be gone through.
create table market_state (
  only_row boolean primary key default true check (only_row),
  complete boolean not null
);

insert into market_state (complete) select not exists (select from listing);

-- The time on the wall of a place. Sources give many moments as a mere date, which is kept as its midnight in UTC: that
-- day is meant wherever the place is.
create function wall_time(at timestamptz, zone text) returns timestamp language sql immutable parallel safe as $$
  select case when date_trunc('day', at at time zone 'UTC') = at at time zone 'UTC' then at at time zone 'UTC'
    else at at time zone zone end
$$;
