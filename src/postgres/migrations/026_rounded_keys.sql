-- Listings whose key was a JSON number beyond 2^53, and was read as the nearest double: several listings of the source shared it.
-- A source is one of them if all its long numeric keys are what a double prints; where keys are texts, some are not.

create table rounded_listing (
  source text collate "C" not null,
  listing_key text collate "C" not null,
  primary key (source, listing_key)
);

comment on table rounded_listing is
  'Listings stored under a rounded key. One ends as DELETED once the source sends a key that was rounded to it.';

set local extra_float_digits = 1;

insert into rounded_listing (source, listing_key)
select source, listing_key from (
  select source, listing_key, bool_and(rounded) over (partition by source) as all_rounded from (
    select source, listing_key,
      case when listing_key ~ '^-?[0-9]{16,21}$'
        then listing_key::float8::text::numeric::text = listing_key and abs(listing_key::numeric) >= 9007199254740992 end as rounded,
      case when listing_key ~ '^-?[0-9]{16,21}$' then abs(listing_key::numeric) >= 9007199254740992 else false end as long
    from listing
  ) as keys where long
) as sources where all_rounded;
