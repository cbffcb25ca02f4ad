-- What terms hide and require: whether stored listings keep to it, and listings that have left their source, by when they did.

alter table source_terms add column wanted text[] not null default '{}';
alter table source_terms add column withheld text[] not null default '{}';
alter table source_terms alter column wanted drop default;
alter table source_terms alter column withheld drop default;
comment on column source_terms.wanted is 'What the terms hide and require, as rules.';
comment on column source_terms.withheld is 'The rules that all stored listings keep to: until that is all that is wanted, nothing of the source is shown.';

create index listing_gone on listing (source, updated_at) where status = 'DELETED';
