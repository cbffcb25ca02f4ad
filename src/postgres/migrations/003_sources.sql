-- How far each source has been read. Written in the transaction of the listings it speaks of.

create table source_position (
  source text collate "C" primary key,
  -- Opaque to all but the source.
  position json not null,
  -- Grows with each write: who writes says which version it read, so that two replicators never mix.
  version integer not null,
  -- Records read by the first load so far.
  loaded integer not null,
  -- When the first load was complete; null: it is under way.
  loaded_at timestamptz(3),
  updated_at timestamptz(3) not null
);
