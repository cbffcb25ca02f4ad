-- Removals of sources: their listings and areas go batch by batch, and an interrupted removal is resumed.

create table source_removal (
  source text collate "C" primary key,
  listings integer not null,
  areas integer not null,
  removed integer not null default 0,
  started_at timestamptz(3) not null
);

comment on table source_removal is
  'Removals of sources that are under way or were interrupted; the row goes with the last of the source.';
comment on column source_removal.listings is 'Listings of the source when the removal began.';
comment on column source_removal.areas is
  'Areas of the source when the removal began; above 0, the areas of all other listings are computed again at the end.';
comment on column source_removal.removed is 'Listings removed so far, counted in the transaction that removes them.';
