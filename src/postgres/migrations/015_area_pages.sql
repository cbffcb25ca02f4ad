-- What makes searches and statistics of an area quick among a million listings: a page, a count or a facet of one area is
-- read from an index that has its listings side by side, and figures of the market by the listings that they are of.

-- One row for each area that an active listing lies in, kept by triggers on listing_search. Its columns have names of
-- their own, so that it can be joined to listing_search and every name still says which of the two is meant.
create table area_listing (
  area_no integer not null,
  of_type text not null,
  listing_id text collate "C" not null,
  listed timestamptz(3),
  asked double precision,
  beds double precision,
  baths double precision,
  size double precision,
  kind text not null,
  town text,
  primary key (listing_id, area_no)
);

alter table area_listing alter column area_no set statistics 1000;

create function area_listing_of(listing listing_search) returns setof area_listing language sql stable as $$
  select no, listing.listing_type, listing.id, listing.listed_at, listing.price, listing.bedrooms, listing.bathrooms,
    listing.living_area, listing.property_type, listing.city
  from unnest(listing.area_nos) as no where listing.status = 'ACTIVE' and listing.displayed
$$;

insert into area_listing select held.* from listing_search as listing, area_listing_of(listing) as held;

create index area_listing_newest on area_listing (area_no, of_type, listed desc nulls last, listing_id)
  include (asked, beds, baths, size, kind, town);
create index area_listing_cheapest on area_listing (area_no, of_type, asked, listing_id) include (beds, baths, size, kind);

create function area_listing_added() returns trigger language plpgsql as $$
begin
  insert into area_listing select held.* from added as listing, area_listing_of(listing) as held;
  return null;
end $$;

-- Most changes of a listing change nothing that is held here.
create function area_listing_changed() returns trigger language plpgsql as $$
declare
  moved text[];
begin
  select array_agg(id) into moved from before join after using (id)
  where (before.listing_type, before.status, before.displayed, before.area_nos, before.listed_at, before.price,
      before.bedrooms, before.bathrooms, before.living_area, before.property_type, before.city)
    is distinct from (after.listing_type, after.status, after.displayed, after.area_nos, after.listed_at, after.price,
      after.bedrooms, after.bathrooms, after.living_area, after.property_type, after.city);
  if moved is not null then
    delete from area_listing where listing_id = any(moved);
    insert into area_listing
    select held.* from after as listing, area_listing_of(listing) as held where listing.id = any(moved);
  end if;
  return null;
end $$;

create function area_listing_removed() returns trigger language plpgsql as $$
begin
  delete from area_listing using removed where listing_id = removed.id;
  return null;
end $$;

create trigger area_listing_added after insert on listing_search
  referencing new table as added for each statement execute function area_listing_added();
create trigger area_listing_changed after update on listing_search
  referencing old table as before new table as after for each statement execute function area_listing_changed();
create trigger area_listing_removed after delete on listing_search
  referencing old table as removed for each statement execute function area_listing_removed();

-- Covering: counts by price are answered from the index alone.
drop index search_active_price;
create index search_active_price on listing_search (listing_type, price, id)
  include (bedrooms, bathrooms, living_area, property_type) where status = 'ACTIVE' and displayed;

create index market_stay_listing on market_stay (listing_id)
  include (on_at, off_at, superseded_at, aged_from, price, months_free);
create index market_event_listing on market_event (listing_id)
  include (kind, at, price, days, ratio, original_ratio, listing_type);

analyze area_listing;
