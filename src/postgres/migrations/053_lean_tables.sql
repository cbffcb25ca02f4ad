-- What every write of a listing paid for, and reads do without.

-- Facts of a property are found by its listings, which market_listing has.
drop index market_period_property, market_event_property;

-- Figures are computed in memory: where PostgreSQL computes them, it looks into the rows.
drop index market_period_listing, market_event_listing;
create index market_period_listing on market_period (listing_id);
create index market_event_listing on market_event (listing_id);

-- A listing has few lines of history, which are sorted when they are read.
drop index listing_event_listing;
create index listing_event_listing on listing_event (listing_id);

-- The sequence orders the lines of one listing.
alter table listing_event drop constraint listing_event_pkey;

comment on column listing.record is
  'The listing as JSON, before masking and unit conversion; members that are null or empty lists are left out.';
