-- What makes free text quick among a million listings: a word is kept once for each field that it stands in, with the areas that
-- the listing lies in and the kind of what is active beside it, so that an index alone tells which listings have all words where
-- they are asked for; and the commonest filters lie with the words, so that the search row need not be read.

alter table listing_text rename to listing_text_before;

-- Columns are called as in area_listing: it too is joined to listing_search.
create table listing_text (
  listing_id text collate "C" not null,
  of_type text not null,
  -- ACTIVE and displayed.
  active boolean not null,
  listed timestamptz(3),
  asked double precision,
  beds double precision,
  baths double precision,
  size double precision,
  kind text not null,
  town text,
  -- With a capital before it for where it stands: A a number, B the address, C names of places. Words of the address, of places
  -- and of the description are there as they are too; with a D where they stand in the description and in either of the others.
  -- '#7' is the area with the number 7; '=sale' or '=rental' is there where the listing is active.
  words tsvector not null
)
-- Room on each page: a new price then touches no index.
with (fillfactor = 90);

-- The way to a page is chosen by how many listings have its words.
alter table listing_text alter column words set statistics 400;

insert into listing_text
select id, listing_type, shown, listed_at, price, bedrooms, bathrooms, living_area, property_type, city,
  array_to_tsvector(
    array(
      select word from unnest(words) as each (lexeme, positions, weights), lateral (
        select lexeme where weights <> '{A}' union all
        select weight || lexeme from unnest(weights) as weight where weight <> 'D' or weights && '{B,C}') as kept (word))
    || array(select '#' || no from unnest(area_nos) as no) || case when shown then array['=' || listing_type] else '{}' end)
from listing_search join listing_text_before using (id), lateral (select status = 'ACTIVE' and displayed as shown) as state;

drop table listing_text_before;

alter table listing_text add primary key (listing_id);
create index listing_text_newest on listing_text (of_type, listed desc nulls last, listing_id) where active;
-- New words wait in a list that every search has to read: a short one.
create index listing_text_words on listing_text using gin (words) with (gin_pending_list_limit = 512);

analyze listing_text;
