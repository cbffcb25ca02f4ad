-- Whether this database may be served, and may act on the outside: part of every start, of final backups and of restores.
--
-- A restore runs this file before all others, since it marks the database while there is nothing else in it yet; so every
-- statement can be repeated.

create table if not exists database_state (
  singleton boolean primary key default true check (singleton),
  state text not null check (state in ('serving', 'closing', 'closed', 'restoring', 'restored', 'copy')),
  former_state text check (former_state in ('serving', 'restored', 'copy')),
  since timestamptz(3) not null default clock_timestamp(),
  backup_at timestamptz(3),
  check ((state = 'closing') = (former_state is not null))
);

insert into database_state (state) values ('serving') on conflict do nothing;

comment on table database_state is 'One row: what this database may be used for.';
comment on column database_state.state is
  'serving: everything. closing: a final backup is being taken, nobody writes. closed: a final backup was taken, and another database serves. restoring: a restore is under way or was interrupted. restored: served, but nothing is sent to anyone until `freehold restore accept`. copy: the same for good.';
comment on column database_state.former_state is 'While it is closing: what it becomes again if the backup fails.';
comment on column database_state.since is 'When it came into this state, by the clock of the database.';
comment on column database_state.backup_at is 'When the backup was taken that this database was restored from; null: it was not.';

create table if not exists change_gap (
  after bigint primary key check (after >= 0),
  through bigint not null check (through > after)
);

comment on table change_gap is
  'Sequences that no change of this log has: the database that this one was restored from may have given them to changes after the backup. A cursor among them has expired.';
comment on column change_gap.after is 'The last sequence of the backup.';
comment on column change_gap.through is 'The next change gets the sequence after this one.';
