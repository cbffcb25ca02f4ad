-- Places are compared by keys: names without case, accents and punctuation, postal codes without blanks and hyphens. Names as sources
-- write them have a table of their own. The keys are those of src/text/place-key.ts, which a test holds to this function.

create function search_key(name text, between_words text) returns text language sql immutable as $$
  select coalesce(nullif(btrim(translate(
    replace(replace(replace(replace(
      regexp_replace(
        regexp_replace(normalize(name, NFKD), '[\u0300-\u036f''’‘ʼ`′.]', '', 'g'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf×÷\u2000-\u206f\u3000-\u3003・]+', between_words, 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    'øłđðħıŋŧ', 'olddhint')), ''), name)
$$;

comment on function search_key is
  'Key of a place name in lower case, or with empty between_words of a postal code, as listings are written with it.';

-- Most names have plain letters and are their own keys.
update listing_search set
  city = search_key(city, ' '),
  neighborhood = search_key(neighborhood, ' '),
  county = search_key(county, ' '),
  state = search_key(state, ' '),
  country = search_key(country, ' '),
  postal_code = search_key(postal_code, '')
where concat_ws(' ', city, neighborhood, county, state, country) ~ '[^a-z0-9 ]|  ' or postal_code ~ '[^a-z0-9]';

comment on table listing_search is
  'One narrow row for each listing, as searches read it: areas in square feet, prices of rentals per month, text in lower case, places as keys.';

update watcher set search = jsonb_set(search::jsonb, '{conditions}', (
  select jsonb_agg(
    case when condition ->> 'column' in ('city', 'neighborhood', 'county', 'state', 'country', 'postalCode') then
      jsonb_set(condition, '{values}', (
        select jsonb_agg(search_key(value, case when condition ->> 'column' = 'postalCode' then '' else ' ' end))
        from jsonb_array_elements_text(condition -> 'values') as value))
    else condition end order by ordinal)
  from jsonb_array_elements(search::jsonb -> 'conditions') with ordinality as each (condition, ordinal)))
where search::text ~ '"column": ?"(city|neighborhood|county|state|country|postalCode)"';

create table search_name (
  listing_type text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  name text not null,
  primary key (listing_type, kind, key)
);

comment on table search_name is
  'Names that displayed listings of each type ever had, as the first of them wrote it: of places, features and other words that filters take.';
comment on column search_name.kind is 'The filter: city, features and others.';
comment on column search_name.key is 'What filters compare: the key of a place, other words in lower case.';

insert into search_name
select place.listing_type, kind, place.key, coalesce(nullif(btrim(record -> 'address' ->> kind), ''), place.key)
from (
  select listing_type, kind, key, min(id) as id
  from listing_search cross join lateral (values
    ('city', city), ('neighborhood', neighborhood), ('county', county), ('state', state), ('country', country),
    ('postalCode', postal_code)) as named (kind, key)
  where displayed and key is not null
  group by 1, 2, 3) as place
join listing using (id);

insert into search_name
select distinct listing_type, kind, word, word
from listing_search cross join lateral (
  select 'features', unnest(features)
  union all select 'pets', unnest(pets)
  union all select 'utilitiesIncluded', unnest(utilities)
  union all select 'saleCondition', unnest(sale_conditions)
  union all select 'furnished', furnished
  union all select 'propertySubType', property_sub_type) as named (kind, word)
where displayed and word is not null;
