-- What searches read: one narrow row for each listing, with its indexes, and the vocabulary that corrects misspelt words.

-- Times have milliseconds, which is what a cursor can carry; all numbers have one type, so that any bound fits.
create table listing_search (
  id text collate "C" primary key,
  listing_type text not null,
  status text not null,
  displayed boolean not null,
  property_type text not null,
  property_sub_type text,

  currency text not null,
  price double precision,
  has_price boolean not null,
  close_price double precision,
  price_per_area double precision,
  price_direction text,
  price_change_percent double precision,
  association_fee double precision,
  tax double precision,
  monthly_cost double precision,

  bedrooms double precision,
  bathrooms double precision,
  living_area double precision,
  lot_size double precision,
  year_built double precision,
  stories double precision,
  floor double precision,
  parking_spaces double precision,
  garage_spaces double precision,

  available_from date,
  lease_term_months double precision,
  furnished text,
  pets text[] not null,
  utilities text[] not null,
  no_fee boolean,
  rent_control boolean,
  move_in_cost double precision,
  months_free double precision,
  net_effective_price double precision,

  listed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  closed_at timestamptz(3),
  price_changed_at timestamptz(3),
  days_on_market_start timestamptz(3),
  days_on_market_end timestamptz(3),
  open_houses tstzmultirange,

  location point,
  area_nos integer[] not null,
  city text,
  neighborhood text,
  county text,
  state text,
  postal_code text,
  country text,
  address_key text collate "C",

  has_photos boolean not null,
  has_virtual_tour boolean not null,
  new_construction boolean,
  waterfront boolean,
  features text[] not null,
  sale_conditions text[] not null,

  provider_id text not null,
  mls_number text,
  agent_id text,
  office_id text
);

alter table listing_search alter column area_nos set statistics 1000;

comment on table listing_search is
  'One narrow row for each listing, as searches read it: areas in square feet, prices of rentals per month, text in lower case.';
comment on column listing_search.displayed is 'False where the source forbids display of the listing.';
comment on column listing_search.price is 'Asking price; of rentals the rent per month.';
comment on column listing_search.has_price is 'Whether the record shows a price.';
comment on column listing_search.price_per_area is 'Price per square foot, not rounded.';
comment on column listing_search.price_direction is 'Direction of the last price change: decrease or increase.';
comment on column listing_search.monthly_cost is 'Sum of the monthly costs.';
comment on column listing_search.move_in_cost is 'Sum of the costs of moving in; null where any of them is unknown.';
comment on column listing_search.days_on_market_start is 'Start of the days on market, as in listing.';
comment on column listing_search.days_on_market_end is 'End of the days on market, as in listing.';
comment on column listing_search.open_houses is 'Hours of the open houses that are not canceled, ends included; null: none.';
comment on column listing_search.location is 'Longitude and latitude, rounded where the address is withheld, so that no circle finds the house.';
comment on column listing_search.area_nos is 'Numbers (area.no) of the areas that the listing lies in.';
comment on column listing_search.address_key is 'Words of the displayed address, each followed by a blank; null where it is withheld.';
comment on column listing_search.provider_id is 'Source of the listing.';

-- Most searches are for active listings. Each sort key has one small index, walked backward for the reverse order; the id
-- breaks ties and runs the way of the key.
create index search_active_listed on listing_search (listing_type, listed_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_updated on listing_search (listing_type, updated_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_days_on_market on listing_search (listing_type, days_on_market_start desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_price_changed on listing_search (listing_type, price_changed_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_price on listing_search (listing_type, price, id)
  include (bedrooms, bathrooms, living_area, property_type) where status = 'ACTIVE' and displayed;
create index search_active_price_per_area on listing_search (listing_type, price_per_area, id)
  where status = 'ACTIVE' and displayed;
create index search_active_bedrooms on listing_search (listing_type, bedrooms, id) where status = 'ACTIVE' and displayed;
create index search_active_bathrooms on listing_search (listing_type, bathrooms, id) where status = 'ACTIVE' and displayed;
create index search_active_living_area on listing_search (listing_type, living_area, id)
  where status = 'ACTIVE' and displayed;
create index search_active_year_built on listing_search (listing_type, year_built, id) where status = 'ACTIVE' and displayed;
create index search_active_areas on listing_search using gin (area_nos) where status = 'ACTIVE' and displayed;
create index search_active_features on listing_search using gin (features) where status = 'ACTIVE' and displayed;
create index search_active_open_houses on listing_search using gist (open_houses)
  where status = 'ACTIVE' and displayed and open_houses is not null;
create index search_active_location on listing_search using gist (location)
  include (listing_type, price, bedrooms, bathrooms, living_area, listed_at, id) where status = 'ACTIVE' and displayed;

comment on index search_active_price is 'Covering: counts by price are answered from the index alone.';
comment on index search_active_location is
  'Covering: a box or circle with the commonest filters and sort keys is answered from the index alone.';

-- All listings, for other statuses: status and display are included, so that rows that do not match are skipped unread.
create index search_listed on listing_search (listing_type, listed_at desc nulls last, id desc) include (status, displayed);
create index search_closed on listing_search (listing_type, closed_at desc nulls last, id desc) include (status, displayed);
create index search_updated on listing_search (listing_type, updated_at desc nulls last, id desc) include (status, displayed);
create index search_price on listing_search (listing_type, price, id) include (status, displayed);
create index search_location on listing_search using gist (location);
create index search_areas on listing_search using gin (area_nos);
create index search_city on listing_search (city, listing_type, status);
create index search_postal_code on listing_search (postal_code, listing_type, status);
create index search_address on listing_search (address_key);
create index search_agent on listing_search (agent_id);
create index search_office on listing_search (office_id);
create index search_mls_number on listing_search (mls_number);

create table listing_currency (
  listing_type text not null,
  currency text not null,
  primary key (listing_type, currency)
);

comment on table listing_currency is
  'Currencies that listings of each type have ever had; with a single one, searches need not tell currencies apart.';

create table search_word (
  word text collate "C" primary key,
  trigrams text[] collate "C" not null
);

create index search_word_trigrams on search_word using gin (trigrams);

comment on table search_word is
  'Words of addresses and area names, from which corrections of misspelt words are chosen.';
comment on column search_word.trigrams is 'Trigrams of the word; words that share many are similar.';
