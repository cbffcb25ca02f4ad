-- Files at URLs that a running service imports again and again.

create table import_schedule (
  kind text not null,
  source text collate "C" not null,
  url_sealed bytea not null,
  url_shown text not null,
  headers jsonb not null,
  map text not null,
  missing text,
  every_seconds integer not null check (every_seconds >= 300),
  created_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  finished_at timestamptz(3),
  succeeded_at timestamptz(3),
  result text,
  failure text,
  failures integer not null default 0,
  primary key (kind, source)
);

comment on table import_schedule is 'Files at URLs that one process imports at their times: one for each kind and source.';
comment on column import_schedule.url_sealed is 'The URL with its credentials, sealed with SECRETS_KEY.';
comment on column import_schedule.url_shown is 'The URL without user, password and query.';
comment on column import_schedule.headers is 'Headers that are sent, each with the name of the variable that has its value.';
comment on column import_schedule.map is 'The text of the map, as it was when the schedule was made.';
comment on column import_schedule.missing is 'What becomes of listings that the file no longer has; null: nothing.';
comment on column import_schedule.finished_at is 'When the last run ended, well or not; null: none has.';
comment on column import_schedule.succeeded_at is 'When the last run ended that did not fail.';
comment on column import_schedule.result is 'What that one did, as a sentence.';
comment on column import_schedule.failure is 'Why the last run failed, as a sentence; null: it did not.';
comment on column import_schedule.failures is 'Runs that failed since the last that did not.';
