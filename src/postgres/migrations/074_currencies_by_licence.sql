-- Currencies by licence: what is closed to a reader names none.

alter table listing_currency add column licence_no smallint not null default 1;
alter table listing_currency drop constraint listing_currency_pkey;
alter table listing_currency add primary key (listing_type, currency, licence_no);
alter table listing_currency alter column licence_no drop default;

insert into listing_currency (listing_type, currency, licence_no)
select distinct listing_type, currency, licence::smallint from listing_search
where (select count(*) from licence) > 1
on conflict do nothing;
delete from listing_currency as known where licence_no = 1 and (select count(*) from licence) > 1
  and not exists (select from listing_search as listing where listing.licence = '1'
    and listing.listing_type = known.listing_type and listing.currency = known.currency);

comment on table listing_currency is
  'Currencies that listings of each type and licence have ever had; with a single one, searches need not tell currencies apart.';
