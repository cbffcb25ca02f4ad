-- What operators request of the reading of a source, and when it was last read to its end.

create table source_control (
  source text collate "C" primary key,
  paused_at timestamptz(3),
  sync_requests bigint not null default 0
);

comment on table source_control is 'What operators have requested of the reading of a source; it is read without a row as well.';
comment on column source_control.paused_at is 'Since when nobody reads it; null: it is read.';
comment on column source_control.sync_requests is 'How often a round was requested: the process that reads begins one when it grows.';

alter table source_report add column succeeded_at timestamptz(3), add column sample text;

comment on column source_report.succeeded_at is 'When the source was last read to its end, written once a minute at most.';
comment on column source_report.sample is 'A record that the failure is about: the names of its members, and a few values without persons or addresses.';
