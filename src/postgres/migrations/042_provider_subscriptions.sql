-- What a payment service says of its subscriptions is a mirror: each row counts for 600 s from its own date, by the clock of the
-- database alone.

-- Dates were of a clock that ran ahead of the database's by so much.
update subscription_verdict set asked_at = asked_at - (select ahead from subscription_clock) * interval '1 millisecond'
where (select ahead from subscription_clock) > 0;

alter table subscription_verdict rename to provider_subscription;
alter table provider_subscription rename column asked_at to checked_at;
alter table provider_subscription drop column since;
alter index subscription_verdict_pkey rename to provider_subscription_pkey;
alter index subscription_verdict_key rename to provider_subscription_key;

comment on table provider_subscription is
  'What the payment service says of each subscription: written by lists, events and single requests. A row counts for 600 s.';
comment on column provider_subscription.state is 'expired: it has ended. unknown: its key opens nothing.';
comment on column provider_subscription.ends_at is 'When it ends; null while it renews. From then on the row decides nothing.';
comment on column provider_subscription.checked_at is
  'By the clock of the database, rounded down, before the request to the service: what the row says held at that moment or later.';
comment on column provider_subscription.question is
  'From subscription_question, before the request to the service: only a row of a larger number replaces it.';
comment on sequence subscription_question is
  'Numbers the requests to payment services before they begin: an answer replaces those to requests of smaller numbers.';

delete from work_lease where name like 'verdicts of %';

drop function reserve_provider_call(text, text, integer, integer, integer, integer, integer, integer);
drop function reserve_provider_call(text, text, integer, integer, integer, integer, integer, integer, integer);
drop function subscription_time();
drop table subscription_clock;

comment on column provider_call.bucket is 'Number of the stretch, by the clock of the database.';

create function reserve_provider_call(
  called text, wanted text, width integer, buckets integer,
  max_calls integer, max_unknown integer, max_strangers integer, max_background integer, max_others integer
) returns float8 language plpgsql as $$
declare
  moment float8;
  current_bucket bigint;
  taken record;
begin
  -- One at a time, and what the one before has written is seen by every statement below.
  perform pg_advisory_xact_lock(hashtext('provider_call'), hashtext(called));
  moment := extract(epoch from clock_timestamp()) * 1000;
  current_bucket := floor(moment / width);
  delete from provider_call where provider = called and bucket < current_bucket - buckets;
  -- Calls of the future were made before the clock was set back: they count as of now.
  with future as (delete from provider_call where provider = called and bucket > current_bucket returning *)
    insert into provider_call as present (provider, urgency, bucket, calls)
    select called, urgency, current_bucket, sum(calls) from future group by urgency
    on conflict (provider, bucket, urgency) do update set calls = present.calls + excluded.calls;
  select coalesce(sum(calls), 0) as calls,
      coalesce(sum(calls) filter (where urgency = 'unknown'), 0) as unknown,
      coalesce(sum(calls) filter (where urgency = 'stranger'), 0) as strangers,
      coalesce(sum(calls) filter (where urgency = 'background'), 0) as background,
      coalesce(min(bucket), current_bucket) as oldest
    into taken from provider_call where provider = called;
  if taken.calls >= max_calls
      or wanted = 'unknown' and taken.unknown >= max_unknown
      or wanted = 'stranger' and taken.strangers >= max_strangers
      or wanted = 'background' and taken.background >= max_background
      or wanted <> 'known' and taken.unknown + taken.strangers + taken.background >= max_others then
    return greatest(1, (taken.oldest + buckets + 1) * width - moment);
  end if;
  insert into provider_call as present (provider, urgency, bucket, calls) values (called, wanted, current_bucket, 1)
    on conflict (provider, bucket, urgency) do update set calls = present.calls + 1;
  return 0;
end $$;

comment on function reserve_provider_call(text, text, integer, integer, integer, integer, integer, integer, integer) is
  'Counts a call and returns 0, or returns the milliseconds until there may be room for one. A bucket lasts width milliseconds; the present one and so many before it are added up.';
