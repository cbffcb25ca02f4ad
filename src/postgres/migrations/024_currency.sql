-- The currency of every search row, and the currencies that listings of a type have ever had: where there is one only, nothing has
-- to be told apart.

alter table listing_search add column currency text;
update listing_search set currency = record ->> 'currency' from listing where listing.id = listing_search.id;
alter table listing_search alter column currency set not null;

create table listing_currency (
  listing_type text not null,
  currency text not null,
  primary key (listing_type, currency)
);

insert into listing_currency select distinct listing_type, currency from listing_search;
