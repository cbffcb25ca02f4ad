-- The record of backups, by which every process knows how old the last one is.

create table backup_record (
  succeeded_at timestamptz(3),
  file text,
  bytes bigint,
  failed_at timestamptz(3),
  failure text
);

create unique index backup_record_one on backup_record ((true));

comment on table backup_record is 'At most one row: the last backup that is whole, and the last failure since.';
comment on column backup_record.succeeded_at is 'When the snapshot of the last whole backup was taken, by the clock of its process.';
comment on column backup_record.file is 'Path of that backup, on the machine where it was made.';
comment on column backup_record.bytes is 'Size of that backup.';
comment on column backup_record.failed_at is 'When a backup failed after it; null: none has.';
comment on column backup_record.failure is 'Why it failed, as a sentence.';
