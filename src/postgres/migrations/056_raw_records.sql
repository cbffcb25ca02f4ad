-- What sources sent, so that it can be mapped again without a request, and what is known of their values.

create table raw_record (
  source text collate "C",
  resource text collate "C",
  key text collate "C",
  digest bytea not null,
  body bytea not null,
  primary key (source, resource, key)
);
-- The body is compressed already.
alter table raw_record alter column body set storage external;

comment on table raw_record is 'Records as sources sent them, with their children: one for each listing that a source still has.';
comment on column raw_record.resource is 'Property; Media where a source sends the photos of a listing as a resource of their own.';
comment on column raw_record.key is 'The key of the listing in its source.';
comment on column raw_record.digest is 'The first half of the SHA-256 of the record as JSON: an unchanged record writes nothing.';
comment on column raw_record.body is 'The record as JSON, compressed by ingest/raw/raw-body.ts.';

create table source_remap (
  source text collate "C" primary key,
  after_key text not null default '',
  mapped integer not null default 0,
  changed integer not null default 0,
  total integer not null,
  reading text,
  requested_at timestamptz(3) not null,
  began_at timestamptz(3),
  finished_at timestamptz(3)
);

comment on table source_remap is 'The last mapping of all raw records of a source, page by page: it goes on behind after_key.';
comment on column source_remap.changed is 'Listings that became others.';
comment on column source_remap.reading is 'The way in which the records that are mapped were read; another one begins again.';
comment on column source_remap.began_at is 'Null: no process has begun it.';

alter table source_report add column unknown json not null default '[]';

comment on column source_report.unknown is 'Values of enumerations and fields that the mapping does not know, with the number of listings.';

alter table source_position add column requested text;

comment on column source_position.requested is
  'What was requested of each record: where something else is, records that are kept may lack it. Null: it is not known.';
