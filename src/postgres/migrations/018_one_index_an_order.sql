-- One index for an order and its reverse: ids run the way of the last key, so that the same index is walked forwards and back.
-- And an order by days on market, which is that of the moments when listings came on it.

drop index search_active_listed, search_active_listed_up, search_active_updated, search_active_updated_up,
  search_active_price_down, search_active_per_area_down, search_active_bedrooms_down, search_active_bathrooms_down,
  search_active_living_area_down, search_active_year_down, search_active_price_changed_down,
  search_listed, search_closed, search_updated;

create index search_active_listed on listing_search (listing_type, listed_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_updated on listing_search (listing_type, updated_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_began on listing_search (listing_type, clock_start desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;
create index search_active_price_changed on listing_search (listing_type, price_changed_at desc nulls last, id desc)
  where status = 'ACTIVE' and displayed;

create index search_listed on listing_search (listing_type, listed_at desc nulls last, id desc) include (status, displayed);
create index search_closed on listing_search (listing_type, closed_at desc nulls last, id desc) include (status, displayed);
create index search_updated on listing_search (listing_type, updated_at desc nulls last, id desc) include (status, displayed);

drop index listing_text_newest;
create index listing_text_newest on listing_text (of_type, listed desc nulls last, listing_id desc) where active;

-- The rows of areas tell when their listings came on the market. Written anew, as that takes less time than changing them.
alter table area_listing add column began timestamptz(3);
drop index area_listing_newest, area_listing_cheapest;
alter table area_listing drop constraint area_listing_pkey;
truncate area_listing;

create or replace function area_listing_of(listing listing_search) returns setof area_listing language sql stable as $$
  select no, listing.listing_type, listing.id, listing.listed_at, listing.price, listing.bedrooms, listing.bathrooms,
    listing.living_area, listing.property_type, listing.city, listing.clock_start
  from unnest(listing.area_nos) as no where listing.status = 'ACTIVE' and listing.displayed
$$;

create or replace function area_listing_changed() returns trigger language plpgsql as $$
declare
  moved text[];
begin
  select array_agg(id) into moved from before join after using (id)
  where (before.listing_type, before.status, before.displayed, before.area_nos, before.listed_at, before.price,
      before.bedrooms, before.bathrooms, before.living_area, before.property_type, before.city, before.clock_start)
    is distinct from (after.listing_type, after.status, after.displayed, after.area_nos, after.listed_at, after.price,
      after.bedrooms, after.bathrooms, after.living_area, after.property_type, after.city, after.clock_start);
  if moved is not null then
    delete from area_listing where listing_id = any(moved);
    insert into area_listing
    select held.* from after as listing, area_listing_of(listing) as held where listing.id = any(moved);
  end if;
  return null;
end $$;

insert into area_listing select held.* from listing_search as listing, area_listing_of(listing) as held;

alter table area_listing add primary key (listing_id, area_no);
create index area_listing_newest on area_listing (area_no, of_type, listed desc nulls last, listing_id desc)
  include (asked, beds, baths, size, kind, town);
create index area_listing_cheapest on area_listing (area_no, of_type, asked, listing_id) include (beds, baths, size, kind);
create index area_listing_latest on area_listing (area_no, of_type, began desc nulls last, listing_id) include (asked, beds);

analyze area_listing;
