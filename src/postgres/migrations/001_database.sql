-- The record of migrations, and what statements of every subject use.
--
-- These files are the schema of the first release, one file for each subject, in the order in which they are run.
-- From that release on a migration is never edited: a change of the schema is a new file with the next number.
-- Unless a comment says otherwise, times are written by the service's own clock, in UTC.

comment on table schema_migrations is
  'Migrations that were run, written by the runner (src/postgres/migrations/migrate.ts), which also creates this table.';
comment on column schema_migrations.checksum is 'SHA-256 of the file; a file that was changed afterwards is refused.';

create function require_before(deadline timestamptz) returns boolean language plpgsql as $$
begin
  if clock_timestamp() > deadline then
    raise exception 'The deadline of this statement has passed' using errcode = 'query_canceled';
  end if;
  return true;
end $$;

comment on function require_before(timestamptz) is
  'Returns true until the deadline and raises query_canceled after it, so that a statement that ran too late undoes itself; call it after the work, so that waiting for locks counts.';
