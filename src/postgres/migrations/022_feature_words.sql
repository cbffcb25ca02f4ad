-- Free text finds features too: their words join those of the description, as the next change of each listing would write them.

with abbreviation (word, form) as (values
  ('street', 'st'), ('str', 'st'), ('saint', 'st'), ('avenue', 'ave'), ('boulevard', 'blvd'), ('drive', 'dr'), ('road', 'rd'),
  ('lane', 'ln'), ('court', 'ct'), ('place', 'pl'), ('terrace', 'ter'), ('parkway', 'pkwy'), ('square', 'sq'), ('circle', 'cir'),
  ('trail', 'trl'), ('plaza', 'plz'), ('route', 'rte'), ('cove', 'cv'), ('heights', 'hts'),
  ('north', 'n'), ('south', 's'), ('east', 'e'), ('west', 'w'), ('first', '1st'), ('second', '2nd'), ('third', '3rd'))
update listing_text set words = listing_text.words || array_to_tsvector(array(
  select distinct written.word
  from unnest(search.features) as feature (slug),
    regexp_split_to_table(slug, '[^[:alnum:]]+') as part (word) left join abbreviation using (word),
    coalesce(form, part.word) as spelt (word),
    lateral (values (spelt.word, true), ('D' || spelt.word,
      listing_text.words @@ format('B%1$s | C%1$s', spelt.word)::tsquery)) as written (word, is_written)
  where spelt.word <> '' and is_written))
from listing_search as search
where search.id = listing_id and cardinality(search.features) > 0;

comment on column listing_text.words is
  'Words, each with a capital letter before it for its field: A numbers, B address, C place names, D a word of the description or a feature that is also in B or C. Words of B, C, the description and features also stand without a letter; #7 is the area with number 7. Listings written before this column stood alone may also have =sale or =rental, which nothing reads.';
