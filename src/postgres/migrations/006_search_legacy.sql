-- Copies of the commonest search columns beside areas and words, so that pages and counts among a million listings are
-- answered from one index. Their columns have names of their own, so that either can be joined to listing_search unqualified.

create table area_listing (
  area_no integer not null,
  of_type text not null,
  listing_id text collate "C" not null,
  listed timestamptz(3),
  began timestamptz(3),
  asked double precision,
  beds double precision,
  baths double precision,
  size double precision,
  kind text not null,
  town text,
  primary key (listing_id, area_no)
);

alter table area_listing alter column area_no set statistics 1000;

create index area_listing_newest on area_listing (area_no, of_type, listed desc nulls last, listing_id desc)
  include (asked, beds, baths, size, kind, town);
create index area_listing_cheapest on area_listing (area_no, of_type, asked, listing_id) include (beds, baths, size, kind);
create index area_listing_latest on area_listing (area_no, of_type, began desc nulls last, listing_id) include (asked, beds);

comment on table area_listing is
  'One row for each area that an active, displayed listing lies in; triggers on listing_search maintain it.';
comment on column area_listing.of_type is 'listing_search.listing_type';
comment on column area_listing.listed is 'listing_search.listed_at';
comment on column area_listing.began is 'listing_search.days_on_market_start';
comment on column area_listing.asked is 'listing_search.price';
comment on column area_listing.beds is 'listing_search.bedrooms';
comment on column area_listing.baths is 'listing_search.bathrooms';
comment on column area_listing.size is 'listing_search.living_area';
comment on column area_listing.kind is 'listing_search.property_type';
comment on column area_listing.town is 'listing_search.city';

create function area_listing_of(listing listing_search) returns setof area_listing language sql stable as $$
  select no, listing.listing_type, listing.id, listing.listed_at, listing.days_on_market_start, listing.price, listing.bedrooms,
    listing.bathrooms, listing.living_area, listing.property_type, listing.city
  from unnest(listing.area_nos) as no where listing.status = 'ACTIVE' and listing.displayed
$$;

comment on function area_listing_of(listing_search) is 'Rows of area_listing for one listing.';

create function area_listing_added() returns trigger language plpgsql as $$
begin
  insert into area_listing select held.* from added as listing, area_listing_of(listing) as held;
  return null;
end $$;

comment on function area_listing_added() is 'Inserts the rows of area_listing for inserted listings.';

create function area_listing_changed() returns trigger language plpgsql as $$
declare
  moved text[];
begin
  select array_agg(id) into moved from before join after using (id)
  where (before.listing_type, before.status, before.displayed, before.area_nos, before.listed_at, before.price,
      before.bedrooms, before.bathrooms, before.living_area, before.property_type, before.city, before.days_on_market_start)
    is distinct from (after.listing_type, after.status, after.displayed, after.area_nos, after.listed_at, after.price,
      after.bedrooms, after.bathrooms, after.living_area, after.property_type, after.city, after.days_on_market_start);
  if moved is not null then
    delete from area_listing where listing_id = any(moved);
    insert into area_listing
    select held.* from after as listing, area_listing_of(listing) as held where listing.id = any(moved);
  end if;
  return null;
end $$;

comment on function area_listing_changed() is
  'Replaces the rows of area_listing for those updated listings that changed in a copied column; most updates change none.';

create function area_listing_removed() returns trigger language plpgsql as $$
begin
  delete from area_listing using removed where listing_id = removed.id;
  return null;
end $$;

comment on function area_listing_removed() is 'Deletes the rows of area_listing for deleted listings.';

create trigger area_listing_added after insert on listing_search
  referencing new table as added for each statement execute function area_listing_added();
create trigger area_listing_changed after update on listing_search
  referencing old table as before new table as after for each statement execute function area_listing_changed();
create trigger area_listing_removed after delete on listing_search
  referencing old table as removed for each statement execute function area_listing_removed();

create table listing_text (
  listing_id text collate "C" primary key,
  of_type text not null,
  active boolean not null,
  listed timestamptz(3),
  asked double precision,
  beds double precision,
  baths double precision,
  size double precision,
  kind text not null,
  town text,
  words tsvector not null
)
-- Free space on the page keeps an update of the price out of the indexes.
with (fillfactor = 90);

-- How a page is read depends on how many listings have its words.
alter table listing_text alter column words set statistics 400;

create index listing_text_newest on listing_text (of_type, listed desc nulls last, listing_id desc) where active;
-- Every search reads the pending list of new words, so it is short.
create index listing_text_words on listing_text using gin (words) with (gin_pending_list_limit = 512);

comment on table listing_text is
  'Words of each listing for full-text search, with the commonest filters beside them; columns are named as in area_listing.';
comment on column listing_text.active is 'Whether the listing is active and displayed.';
comment on column listing_text.words is
  'Words, each with a capital letter before it for its field: A numbers, B address, C place names, D a word of the description that is also in B or C. Words of B, C and the description also stand without a letter; #7 is the area with number 7; =sale or =rental marks an active listing.';
