-- Search rows name the version of their listing: whoever loads them into memory need not read all listings, ten times as wide, for it.

alter table listing_search add column version integer;
update listing_search set version = listing.version from listing where listing.id = listing_search.id;
alter table listing_search alter column version set not null;

comment on column listing_search.version is 'listing.version: both rows are written together.';
