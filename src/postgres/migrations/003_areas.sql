-- Areas (countries down to neighborhoods and postal codes), their hierarchy, and the words by which they are found.

create table area (
  no integer generated always as identity primary key,
  id text collate "C" not null unique,
  external_id text not null,
  type text not null,
  name text not null,
  slug text not null,
  aliases text[] not null default '{}',
  codes jsonb not null default '{}',
  parent_reference text,
  other_parents text[] not null default '{}',
  parent_id text collate "C",
  population integer,
  time_zone text,
  boundary json,
  bbox double precision[],
  centroid_lng double precision,
  centroid_lat double precision,
  area_km2 double precision,
  source text not null,
  digest bytea not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index area_parent on area (parent_id);
create index area_type_name on area (type, name collate "C", id);
create index area_name on area (name collate "C", id);
create index area_box on area using gist (box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])));

comment on table area is 'Areas as they were imported.';
comment on column area.no is 'Internal number of the area; listings hold arrays of these, which four bytes each keep small.';
comment on column area.id is 'Public id.';
comment on column area.external_id is 'Id of the area in the imported file.';
comment on column area.codes is 'Codes of the area in other systems, such as FIPS, by the name of the system.';
comment on column area.parent_reference is 'Parent as the file names it: an id, an external id or a code.';
comment on column area.other_parents is 'Further parents as the file names them.';
comment on column area.parent_id is 'Id of the area that parent_reference resolves to; null until that area is imported.';
comment on column area.time_zone is 'IANA time zone such as America/Chicago; null: that of the parent, else UTC.';
comment on column area.boundary is 'GeoJSON Polygon or MultiPolygon; null: listings are matched to the area by address.';
comment on column area.bbox is 'Bounding box of the boundary: west, south, east, north.';
comment on column area.digest is 'SHA-256 of what the file says about the area: an import that changes nothing writes nothing.';

create table area_edge (
  child_no integer not null references area (no) on delete cascade,
  parent_no integer not null references area (no) on delete cascade,
  ordinal integer not null,
  primary key (child_no, parent_no)
);

create index area_edge_parent on area_edge (parent_no, child_no);

comment on table area_edge is
  'Parents of each area; an area may have several, as a postal code that lies in two cities.';
comment on column area_edge.ordinal is 'Order of the parents; 0 is the area that area.parent_id names.';

create table area_word (
  word text collate "C" not null,
  area_no integer not null references area (no) on delete cascade,
  primary key (word, area_no)
);

create index area_word_area on area_word (area_no);

comment on table area_word is
  'Words of the names, aliases and codes of areas, so that a search for areas matches the beginning of any word.';

create table area_state (
  singleton boolean primary key default true check (singleton),
  version integer not null default 0
);

insert into area_state default values;

comment on table area_state is
  'One row: a transaction that assigns areas to listings locks it FOR SHARE, one that changes areas updates it and then assigns areas anew.';
comment on column area_state.version is 'Grows with each change of any area.';

create table area_count (
  area_no integer not null references area (no) on delete cascade,
  listing_type text not null,
  active integer not null,
  primary key (area_no, listing_type)
);

comment on table area_count is 'Number of active listings in each area.';
