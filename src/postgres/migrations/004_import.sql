-- How far each import of a file has come. Written in the transaction of the rows it speaks of.

create table import_run (
  kind text not null check (kind in ('listings', 'areas')),
  source text collate "C" not null,
  -- SHA-256 of the file and of its map: only the same two go on where a run stopped.
  file_digest bytea not null check (octet_length(file_digest) = 32),
  map_digest bytea not null check (octet_length(map_digest) = 32),
  -- Rows read, those rejected included.
  rows integer not null,
  created integer not null,
  changed integer not null,
  unchanged integer not null,
  rejected integer not null,
  -- Where rejected rows are written, and how long that file was at this row.
  rejected_file text not null,
  rejected_bytes bigint not null,
  started_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Null: the run was stopped, or is under way.
  finished_at timestamptz(3),
  primary key (kind, source)
);
