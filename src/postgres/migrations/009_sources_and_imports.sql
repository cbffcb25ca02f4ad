-- How far each source has been read, how fresh it is, and how far each import of a file has come.

create table source_position (
  source text collate "C" primary key,
  position json not null,
  version integer not null,
  loaded integer not null,
  total integer,
  loaded_at timestamptz(3),
  updated_at timestamptz(3) not null
);

comment on table source_position is
  'How far each source has been read, written in the transaction of the listings that were read.';
comment on column source_position.position is 'Position in the feed; only the source understands it.';
comment on column source_position.version is
  'Grows with each write; a writer names the version that it read, so that two replicators never overwrite each other.';
comment on column source_position.loaded is 'Records that the first load has read so far.';
comment on column source_position.total is 'Records that the first load will read; null where the source does not tell.';
comment on column source_position.loaded_at is 'When the first load was complete; null while it is running.';

create table source_freshness (
  source text collate "C" primary key,
  as_of timestamptz(3) not null
);

comment on table source_freshness is 'How fresh the listings of each source are.';
comment on column source_freshness.as_of is
  'When the source last sent or confirmed a listing, or was read to its end.';

create table import_run (
  kind text not null check (kind in ('listings', 'areas')),
  source text collate "C" not null,
  file_digest bytea not null check (octet_length(file_digest) = 32),
  map_digest bytea not null check (octet_length(map_digest) = 32),
  rows integer not null,
  created integer not null,
  changed integer not null,
  unchanged integer not null,
  rejected integer not null,
  rejected_file text not null,
  rejected_bytes bigint not null,
  started_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (kind, source)
);

comment on table import_run is
  'Progress of the last import of each source, written in the transaction of the imported rows, so that it can resume.';
comment on column import_run.file_digest is 'SHA-256 of the file; only the same file and map resume.';
comment on column import_run.map_digest is 'SHA-256 of the map file.';
comment on column import_run.rows is 'Rows read, rejected rows included.';
comment on column import_run.rejected_file is 'File to which rejected rows are written.';
comment on column import_run.rejected_bytes is 'Length of that file after the last row.';
comment on column import_run.finished_at is 'Null: the import is running or was stopped.';
