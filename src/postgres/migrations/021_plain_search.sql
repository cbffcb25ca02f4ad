-- Searches ask the search rows alone, one statement a question: the copies of columns beside areas and words go, and the
-- indexes that served active listings only.

drop trigger area_listing_added on listing_search;
drop trigger area_listing_changed on listing_search;
drop trigger area_listing_removed on listing_search;
drop function area_listing_added();
drop function area_listing_changed();
drop function area_listing_removed();
drop function area_listing_of(listing_search);
drop table area_listing;

alter table listing_text
  drop column of_type,
  drop column active,
  drop column listed,
  drop column asked,
  drop column beds,
  drop column baths,
  drop column size,
  drop column kind,
  drop column town;
-- What the free space was for: updates that left the words alone.
alter table listing_text reset (fillfactor);

comment on table listing_text is 'Words of each listing for full-text search.';
comment on column listing_text.words is
  'Words, each with a capital letter before it for its field: A numbers, B address, C place names, D a word of the description that is also in B or C. Words of B, C and the description also stand without a letter; #7 is the area with number 7. Listings written before this column stood alone may also have =sale or =rental, which nothing reads.';

drop index search_active_listed;
drop index search_active_updated;
drop index search_active_days_on_market;
drop index search_active_price_changed;
drop index search_active_price;
drop index search_active_price_per_area;
drop index search_active_bedrooms;
drop index search_active_bathrooms;
drop index search_active_living_area;
drop index search_active_year_built;
drop index search_active_areas;
drop index search_active_features;
drop index search_active_open_houses;
drop index search_active_location;

-- Counts by the commonest filters are answered from this index alone.
drop index search_price;
create index search_price on listing_search (listing_type, price, id)
  include (status, displayed, property_type, currency, bedrooms, bathrooms, living_area, year_built);

comment on index search_price is
  'Covering: counts by price, size, year, kind and currency are answered from the index alone.';
comment on index search_listed is
  'The order of most searches. Status and display are included here and in the other orders, so that rows that do not match are skipped unread.';
