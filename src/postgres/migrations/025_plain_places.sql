-- Places are listed by their first letters, one after another along an index, which an order by a language mixes: there names that
-- begin with ä stand among those that begin with a. Indexes are built anew, and no row is written.
alter table listing_search
  alter column city type text collate "C",
  alter column postal_code type text collate "C";

-- What the planner knew of the columns went with their former types.
analyze listing_search (city, postal_code);
