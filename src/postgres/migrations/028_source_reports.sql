-- How the records of each source were read, and what is wrong with its feed.

alter table source_position
  add column skipped integer not null default 0,
  add column reading text,
  add column reread json;

comment on column source_position.skipped is
  'Records of the first load that are no listings: gone, or without a key. With the stored ones they make up the total.';
comment on column source_position.reading is
  'The way in which the records were read; null: one before there were several. Where the source reads in another way, all are read again.';
comment on column source_position.reread is
  'Progress of reading all records again, beside the changes: position, records, skipped and total; null where none is under way.';

create table source_report (
  source text collate "C" primary key,
  failure text,
  detail text,
  failing_since timestamptz(3),
  withheld json not null,
  updated_at timestamptz(3) not null
);

comment on table source_report is
  'What the process that reads a source has to report of its feed, for doctor and for the health of other processes.';
comment on column source_report.failure is 'Name of the failure, as in the log; null: reading works.';
comment on column source_report.withheld is
  'Values that keep listings, or parts of them, from being shown: field, value and number of listings.';
