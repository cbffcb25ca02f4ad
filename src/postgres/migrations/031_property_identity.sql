-- Properties whose identity has become another one than the one that made their id.

alter table property add column renamed boolean not null default false;

create index property_renamed on property (identity) where renamed;

comment on column property.identity is
  'What makes two listings the same place, such as the normalized address; the id is its digest, unless the property is renamed.';
comment on column property.renamed is
  'The property kept its id while its identity became another one, as when the former one was a placeholder.';

-- Work on what earlier releases stored, which is done once, in the background.
create table stored_review (
  name text primary key,
  reviewed_through text collate "C" not null default '',
  finished_at timestamptz(3)
);

comment on table stored_review is 'Reviews of stored rows by the rules of this release, each done once and resumable.';
comment on column stored_review.name is 'What is reviewed.';
comment on column stored_review.reviewed_through is 'The last id that was reviewed.';
comment on column stored_review.finished_at is 'Null: there is more to review.';

insert into stored_review (name, finished_at)
select name, case when exists (select from listing) then null else now() end
from unnest(array['properties', 'areas']) as name;
