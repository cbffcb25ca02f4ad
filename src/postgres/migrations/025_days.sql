-- Days that sources tell without a time of day are days on the clocks of the place, and are kept as what they are.

-- The zone whose days a listing's dates are, by the areas that it lies in.
alter table listing add column time_zone text not null default 'UTC';
alter table market_listing add column time_zone text not null default 'UTC';

-- Where a source told the day alone; `at` is its first moment at the place.
alter table listing_event add column day date;
alter table market_event add column day date;
alter table market_listing alter column on_market_on type date using (on_market_on at time zone 'UTC')::date;

drop index market_event_listing;
create index market_event_listing on market_event (listing_id)
  include (kind, at, day, price, days, ratio, original_ratio, listing_type);

drop function wall_time;
