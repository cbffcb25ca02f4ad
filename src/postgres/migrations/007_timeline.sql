-- The timeline of each property: what market statistics are computed from. It is computed anew for a property whenever one
-- of its listings is written.

create table market_listing (
  listing_id text collate "C" primary key,
  property_id text collate "C" not null,
  listing_type text not null,
  status text not null,
  time_zone text not null default 'UTC',
  created_at timestamptz not null,
  on_market_date date,
  days_on_market_end timestamptz,
  list_price double precision,
  original_price double precision,
  close_price double precision,
  periods_per_month double precision,
  months_free double precision
);

create index market_listing_property on market_listing (property_id);

comment on table market_listing is 'What the timeline needs of each listing besides its history.';
comment on column market_listing.on_market_date is 'On-market date as the source gave it.';
comment on column market_listing.days_on_market_end is 'End of the days on market, as in listing.';
comment on column market_listing.list_price is 'Asking price; null where a closed listing has only its close price.';
comment on column market_listing.periods_per_month is
  'How many periods of the price make a month, 1 for sales; null where that is unknown.';
comment on column market_listing.months_free is 'Months of free rent.';

create table market_period (
  property_id text collate "C" not null,
  listing_id text collate "C" not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  superseded_at timestamptz not null,
  days_on_market_start timestamptz not null,
  price double precision,
  months_free double precision,
  check (started_at < ended_at)
);

create index market_period_property on market_period (property_id);
create index market_period_ended on market_period (ended_at);
create index market_period_listing on market_period (listing_id)
  include (started_at, ended_at, superseded_at, days_on_market_start, price, months_free);

comment on table market_period is 'Periods in which a listing was on the market at one price.';
comment on column market_period.ended_at is 'End of the period; infinity while it lasts.';
comment on column market_period.superseded_at is
  'When a later listing of the same property and type replaced this one; infinity if none has.';
comment on column market_period.days_on_market_start is 'First moment on the market, moved on by the time on hold.';
comment on column market_period.price is 'Asking price; of rentals per month.';

create table market_event (
  property_id text collate "C" not null,
  listing_id text collate "C" not null,
  listing_type text not null,
  kind text not null,
  at timestamptz not null,
  day date,
  price double precision,
  days double precision,
  ratio double precision,
  original_ratio double precision
);

create index market_event_property on market_event (property_id);
create index market_event_kind on market_event (kind, at);
create index market_event_listing on market_event (listing_id)
  include (kind, at, day, price, days, ratio, original_ratio, listing_type);

comment on table market_event is 'Events that market statistics count, such as a new listing, a closing or a price drop.';
comment on column market_event.day is 'The date, where the source gave a date without a time; `at` is then its first moment in the time zone of the listing.';
comment on column market_event.price is
  'Asking price (new, relisted) or close price (closed); of rentals per month.';
comment on column market_event.days is
  'Days on the market until the event (left, ended), or from coming on the market to leaving it, with a fraction (new).';
comment on column market_event.ratio is 'Close price over asking price (closed), or the drop in percent (drop).';
comment on column market_event.original_ratio is 'Close price over original asking price (closed).';
