-- Deadlines of writes: a statement that reached the server late undoes itself, since whoever sent it has been told that
-- nothing was done.

-- True until the deadline; past it, the error with which PostgreSQL also cancels statements. To be asked after the work,
-- so that the time spent waiting for locks counts.
create function require_before(deadline timestamptz) returns boolean language plpgsql as $$
begin
  if clock_timestamp() > deadline then
    raise exception 'The deadline of this statement has passed' using errcode = 'query_canceled';
  end if;
  return true;
end $$;
