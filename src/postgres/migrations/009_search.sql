-- What the whole search needs: more columns in the narrow row, the words of each listing, and the words that misspelt ones are
-- held against. The narrow rows are written anew, since filling columns in would touch each of their thirty indexes for
-- every row.

alter table listing_search rename to listing_search_before;
alter table listing_search_before drop constraint listing_search_pkey;

-- Areas in square feet, price per month for rentals, words in lower case. Times are kept to the millisecond, which is
-- what a cursor can carry; every number is of one type, so that any bound fits it.
create table listing_search (
  id text collate "C" not null,
  listing_type text not null,
  status text not null,
  displayed boolean not null,
  property_type text not null,
  property_sub_type text,
  price double precision,
  close_price double precision,
  price_per_area double precision,
  bedrooms double precision,
  bathrooms double precision,
  living_area double precision,
  lot_size double precision,
  year_built double precision,
  stories double precision,
  floor double precision,
  parking_spaces double precision,
  garage_spaces double precision,
  price_change_percent double precision,
  association_fee double precision,
  tax double precision,
  monthly_cost double precision,
  lease_term_months double precision,
  -- The sum of what moving in costs; null where any part of it is unknown.
  move_in_cost double precision,
  months_free double precision,
  net_effective_price double precision,
  listed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  closed_at timestamptz(3),
  price_changed_at timestamptz(3),
  clock_start timestamptz(3),
  clock_end timestamptz(3),
  -- Rounded where the address is withheld, so that no circle finds the house.
  location point,
  available_from date,
  has_photos boolean not null,
  has_price boolean not null,
  has_virtual_tour boolean not null,
  new_construction boolean,
  waterfront boolean,
  no_fee boolean,
  -- 'decrease' or 'increase'
  price_direction text,
  area_nos integer[] not null,
  city text,
  neighborhood text,
  county text,
  state text,
  postal_code text,
  country text,
  -- The words of the address as it is shown, each followed by a blank.
  address_key text collate "C",
  agent_id text,
  office_id text,
  provider_id text not null,
  mls_number text,
  furnished text,
  features text[] not null,
  pets text[] not null,
  utilities text[] not null,
  sale_conditions text[] not null,
  -- When the door is open: each open house that is not called off, its end included; null: never.
  open_houses tstzmultirange
);

-- The service writes words by its own rules from now on; what is there already is split up by much the same ones. What is
-- written about a listing whose address is withheld may name the street, so it waits for the listing's next change.
create temporary table spelled_word on commit drop as
select * from (values ('street', 'st'), ('saint', 'st'), ('avenue', 'ave'), ('av', 'ave'), ('boulevard', 'blvd'),
  ('drive', 'dr'), ('road', 'rd'), ('lane', 'ln'), ('court', 'ct'), ('place', 'pl'), ('terrace', 'ter'),
  ('highway', 'hwy'), ('parkway', 'pkwy'), ('square', 'sq'), ('north', 'n'), ('south', 's'), ('east', 'e'),
  ('west', 'w')) as spelled (word, short);

create function pg_temp.words_of(text text) returns text[] language sql as $$
  select coalesce(array_agg(coalesce(short, piece) order by place), '{}')
  from regexp_split_to_table(regexp_replace(lower(normalize(coalesce(text, ''), nfkd)),
    '[\u0300-\u036f''’.]', '', 'g'), '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+')
    with ordinality as pieces (piece, place)
  left join spelled_word on word = piece where piece <> '' and length(piece) <= 100
$$;

insert into listing_search
select search.id, search.listing_type, search.status, search.displayed, search.property_type,
  nullif(lower(trim(kept ->> 'propertySubType')), ''), search.price, search.close_price, search.price_per_area,
  search.bedrooms, search.bathrooms, search.living_area, search.lot_size, search.year_built,
  (kept ->> 'stories')::double precision, (kept ->> 'floor')::double precision,
  (kept ->> 'parkingSpaces')::double precision, (kept ->> 'garageSpaces')::double precision,
  (kept #>> '{priceChange,percent}')::double precision,
  (kept #>> '{monthlyCosts,associationFee}')::double precision, (kept #>> '{monthlyCosts,tax}')::double precision,
  (kept #>> '{monthlyCosts,total}')::double precision, (kept #>> '{rental,leaseTermMonths}')::double precision,
  (select case when count(cost -> 'amount') filter (where jsonb_typeof(cost -> 'amount') = 'number') = count(*)
      then sum((cost ->> 'amount')::double precision) end
    from jsonb_array_elements(case when jsonb_typeof(kept -> 'rental') = 'object' then kept #> '{rental,moveInCosts}'
      else '[]' end) as cost),
  (kept #>> '{rental,monthsFree}')::double precision, (kept #>> '{rental,netEffectivePrice}')::double precision,
  search.listed_at, search.updated_at, search.closed_at, search.price_changed_at, search.clock_start,
  search.clock_end, search.location, (kept #>> '{rental,availableFrom}')::date, search.has_photos,
  kept ->> 'price' is not null, listing.address_displayed and kept ->> 'virtualTourUrl' is not null,
  (kept ->> 'newConstruction')::boolean, (kept ->> 'waterfront')::boolean, (kept #>> '{rental,noFee}')::boolean,
  kept #>> '{priceChange,direction}', search.area_nos, search.city, search.neighborhood, search.county, search.state,
  search.postal_code, search.country,
  case when listing.address_displayed
    then nullif(array_to_string(pg_temp.words_of(kept #>> '{address,full}'), ' ') || ' ', ' ') end,
  kept #>> '{agent,id}', kept #>> '{office,id}', listing.source,
  nullif(lower(trim(kept #>> '{provider,listingId}')), ''), nullif(lower(trim(kept #>> '{rental,furnished}')), ''),
  array(select lower(trim(value)) from jsonb_array_elements_text(kept -> 'features') as value),
  array(select lower(trim(value)) from jsonb_array_elements_text(
    case when jsonb_typeof(kept -> 'rental') = 'object' then kept #> '{rental,pets}' else '[]' end) as value),
  array(select lower(trim(value)) from jsonb_array_elements_text(
    case when jsonb_typeof(kept -> 'rental') = 'object' then kept #> '{rental,utilitiesIncluded}' else '[]' end) as value),
  array(select lower(trim(value)) from jsonb_array_elements_text(kept -> 'saleConditions') as value),
  (select range_agg(tstzrange(begins, greatest(begins, ends), '[]')) from (
    select (house ->> 'startsAt')::timestamptz as begins, (house ->> 'endsAt')::timestamptz as ends
    from jsonb_array_elements(kept -> 'openHouses') as house
    where coalesce(lower(house ->> 'status'), '') not in ('canceled', 'cancelled')) as house)
from listing_search_before as search
join listing using (id), lateral (select record::jsonb as kept) as kept;

drop table listing_search_before;

-- Every word by which a listing is found, weighted by where it stands: A its numbers, B its address, C its place names, D
-- what is written about it. Apart from the narrow rows, which would be several times as wide with it.
create table listing_text (
  id text collate "C" primary key,
  words tsvector not null
);

-- Words of addresses and areas with their trigrams: what a word that no listing has is likely to have meant.
create table search_word (
  word text collate "C" primary key,
  trigrams text[] collate "C" not null
);

create temporary table listing_word on commit drop as
select id, weight, word from (
  select listing.id, part.weight, unnest(pg_temp.words_of(part.text)) as word
  from listing, lateral (values
    ('1A', concat_ws(' ', id, property_id, listing_key, record #>> '{provider,listingId}')),
    ('2B', case when address_displayed then concat_ws(' ', record #>> '{address,full}', record #>> '{address,line1}',
      record #>> '{address,unit}', record #>> '{address,streetName}', record #>> '{address,crossStreet}',
      record #>> '{address,postalCode}') else record #>> '{address,postalCode}' end),
    ('3C', concat_ws(' ', record #>> '{address,city}', record #>> '{address,neighborhood}',
      record #>> '{address,county}', record #>> '{address,state}')),
    ('4D', case when address_displayed then left(record ->> 'description', 20000) end)) as part (weight, text)) as found
group by id, weight, word;

insert into listing_text (id, words)
select listing.id, coalesce((string_agg(lexeme, ' '))::tsvector, '')
from listing left join (
  select id, '''' || word || ''':' || string_agg(weight, ',') as lexeme from listing_word group by id, word) as lexemes
  using (id)
group by listing.id;

insert into search_word (word, trigrams)
select word, array(select distinct substr('  ' || word || ' ', place, 3) from generate_series(1, length(word) + 1) as place)
from (
  select word from listing_word join listing using (id) where weight in ('2B', '3C') and displayed
  union select unnest(pg_temp.words_of(word)) from area_word) as known
where length(word) between 4 and 40 and word !~ '\d'
on conflict do nothing;

drop function pg_temp.words_of;

alter table listing_search add primary key (id);
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
create index search_active_features on listing_search using gin (features) where status = 'ACTIVE' and displayed;
create index search_active_open_houses on listing_search using gist (open_houses)
  where status = 'ACTIVE' and displayed and open_houses is not null;

-- The whole history, for other statuses: kept beside the order, so that rows of another status are passed over unread.
create index search_listed on listing_search (listing_type, listed_at desc nulls last, id) include (status, displayed);
create index search_closed on listing_search (listing_type, closed_at desc nulls last, id) include (status, displayed);
create index search_updated on listing_search (listing_type, updated_at desc nulls last, id) include (status, displayed);
create index search_price on listing_search (listing_type, price, id) include (status, displayed);
create index search_location on listing_search using gist (location);
create index search_areas on listing_search using gin (area_nos);
create index search_city on listing_search (city, listing_type, status);
create index search_postal_code on listing_search (postal_code, listing_type, status);
create index search_address on listing_search (address_key);
create index search_agent on listing_search (agent_id);
create index search_office on listing_search (office_id);
create index search_mls_number on listing_search (mls_number);

create index listing_text_words on listing_text using gin (words);
create index search_word_trigrams on search_word using gin (trigrams);

analyze listing_search, listing_text, search_word;
