-- Licences: what sources permit, what operators block, and under which licence each listing is.

create table source_terms (
  source text primary key,
  terms json not null,
  updated_at timestamptz not null
);
comment on table source_terms is 'What the licence of a source permits. Listings of a source without a row are the operator''s own.';

create table source_block (
  source text not null,
  channel text not null,
  blocked_at timestamptz not null,
  primary key (source, channel)
);
comment on table source_block is 'Channels that operators closed to the listings of a source.';
comment on column source_block.channel is '`all`: every channel.';

create table licence (
  no smallint generated always as identity primary key,
  source text not null,
  marks text[] not null,
  unique (source, marks)
);
comment on table licence is 'Listings of one source with the same marks: they are open, or closed, together.';

-- Until the service starts with its settings, nothing is known of what the feeds permit.
insert into source_terms
select id, '{"channels":{"search":"subscribers","stream":"subscribers","export":"off","watchers":"subscribers","market":"subscribers","explorer":"subscribers","mcp":"off"},"marks":null,"maximumAge":null}', now()
from source where kind = 'reso';

-- As marksOf of licence/terms reads them.
create function licence_marks(permissions json) returns text[] language sql immutable as $$
  select coalesce(array_agg(mark order by mark), '{}') from unnest(array['BBO', 'BO', 'IDX', 'PDAP', 'PT', 'VOW']) as mark
  where mark in (select upper(value) from json_array_elements_text(permissions) as value)
$$;

create temporary table licence_of on commit drop as
select source, licence_marks(record -> 'provider' -> 'permissions') as marks, count(*) as listings
from listing group by 1, 2;

insert into licence (source, marks)
select source, marks from licence_of order by listings desc, source, marks;

-- A column with a constant is added without writing a row: the commonest licence is number 1, and only the others are written.
alter table listing add column licence_no smallint not null default 1;
alter table listing_search add column licence text collate "C" not null default '1';
create temporary table other_licence on commit drop as
select listing.id, licence.no from listing
join licence on licence.source = listing.source
  and licence.marks = licence_marks(listing.record -> 'provider' -> 'permissions')
where licence.no <> 1;
update listing set licence_no = other.no from other_licence as other where other.id = listing.id;
update listing_search set licence = other.no from other_licence as other where other.id = listing_search.id;
alter table listing alter column licence_no drop default;
alter table listing_search alter column licence drop default;
drop function licence_marks;
comment on column listing.licence_no is 'Number of its licence.';
comment on column listing_search.licence is 'Number of its licence, as words are compared.';

alter table area_count add column licence_no smallint not null default 1;
alter table area_count drop constraint area_count_pkey;
alter table area_count add primary key (area_no, listing_type, licence_no);
alter table area_count alter column licence_no drop default;
delete from area_count where (select count(*) from licence) > 1;
insert into area_count (area_no, listing_type, licence_no, active)
select area_no, listing_type, licence::smallint, count(*) from listing_search, unnest(area_nos) as area_no
where status = 'ACTIVE' and displayed and (select count(*) from licence) > 1
  and exists (select from area where no = area_no)
group by area_no, listing_type, licence;

alter table search_name add column licence_no smallint not null default 1;
alter table search_name drop constraint search_name_pkey;
alter table search_name add primary key (listing_type, kind, key, licence_no);
alter table search_name alter column licence_no drop default;

create temporary table other_name on commit drop as
select distinct listing_type, kind, key, licence::smallint as licence_no from listing_search cross join lateral (
  values ('city', city), ('neighborhood', neighborhood), ('county', county), ('state', state),
    ('country', country), ('postalCode', postal_code), ('furnished', furnished), ('propertySubType', property_sub_type)
  union all select 'features', unnest(features)
  union all select 'pets', unnest(pets)
  union all select 'utilitiesIncluded', unnest(utilities)
  union all select 'saleCondition', unnest(sale_conditions)) as named (kind, key)
where displayed and key is not null and (select count(*) from licence) > 1;
insert into search_name (listing_type, kind, key, name, licence_no)
select listing_type, kind, key, known.name, other.licence_no
from other_name as other join search_name as known using (listing_type, kind, key) where other.licence_no <> 1;
delete from search_name as known where licence_no = 1 and (select count(*) from licence) > 1
  and not exists (select from other_name as other where other.licence_no = 1 and other.listing_type = known.listing_type
    and other.kind = known.kind and other.key = known.key);
