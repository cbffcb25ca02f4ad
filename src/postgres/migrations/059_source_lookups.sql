-- What sources say of the values of their enumerated fields, and when they were asked.

create table source_lookup (
  source text collate "C",
  origin text collate "C",
  lookup text collate "C",
  key text collate "C",
  value text not null,
  standard text,
  legacy text,
  modified_at timestamptz(3),
  former text[] not null default '{}',
  is_gone boolean not null default false,
  primary key (source, origin, lookup, key)
);

comment on table source_lookup is 'Values of enumerated fields as their source explains them: of the fields that the mapping reads.';
comment on column source_lookup.origin is 'resource: from the resource Lookup; metadata: an annotation in $metadata.';
comment on column source_lookup.lookup is 'LookupName; of metadata: the field.';
comment on column source_lookup.key is 'LookupKey, or the value where there is none; of metadata: the name of the value.';
comment on column source_lookup.value is 'LookupValue.';
comment on column source_lookup.standard is 'StandardLookupValue.';
comment on column source_lookup.legacy is 'LegacyODataValue.';
comment on column source_lookup.former is 'Earlier spellings, the last one first: records that were sent before may have them.';
comment on column source_lookup.is_gone is 'Whether the source no longer names it: its meaning stays for records that were sent before.';

create table source_lookup_reading (
  source text collate "C" primary key,
  version bigint not null default 0,
  state text not null,
  detail text,
  names json not null default '{}',
  wanted text not null default '',
  position timestamptz(3),
  whole_at timestamptz(3),
  read_at timestamptz(3),
  tried_at timestamptz(3) not null,
  due_at timestamptz(3) not null
);

comment on table source_lookup_reading is 'When the lookups of a source were read, and how that ended.';
comment on column source_lookup_reading.version is 'Grows with each change of the lookups: processes load them again.';
comment on column source_lookup_reading.state is 'read, absent, refused or failed.';
comment on column source_lookup_reading.names is 'LookupName by field, where it is another than the name of the field.';
comment on column source_lookup_reading.wanted is 'Which lookups were wanted: where they are others, all are read again.';
comment on column source_lookup_reading.position is 'The greatest ModificationTimestamp that was read; null: all are read each time.';
comment on column source_lookup_reading.whole_at is 'When all were last read.';
