-- Questions about purchases that strangers make up have a share of the calls to a payment service of their own.

alter table provider_call drop constraint provider_call_urgency_check;
alter table provider_call add constraint provider_call_urgency_check
  check (urgency in ('known', 'unknown', 'stranger', 'background'));

comment on column provider_call.urgency is
  'Who waits: a key that was good before or a person who buys, a key that was never seen, whoever names a purchase, or nobody.';

-- The one with eight arguments stays, for processes of earlier releases.
create function reserve_provider_call(
  called text, wanted text, width integer, buckets integer,
  most integer, most_unknown integer, most_strangers integer, most_background integer, most_both integer
) returns float8 language plpgsql as $$
declare
  moment float8;
  current_bucket bigint;
  taken record;
begin
  -- One at a time, and what the one before has written is seen by every statement below.
  perform pg_advisory_xact_lock(hashtext('provider_call'), hashtext(called));
  moment := extract(epoch from subscription_time()) * 1000;
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
  if taken.calls >= most
      or wanted = 'unknown' and taken.unknown >= most_unknown
      or wanted = 'stranger' and taken.strangers >= most_strangers
      or wanted = 'background' and taken.background >= most_background
      or wanted <> 'known' and taken.unknown + taken.strangers + taken.background >= most_both then
    return greatest(1, (taken.oldest + buckets + 1) * width - moment);
  end if;
  insert into provider_call as present (provider, urgency, bucket, calls) values (called, wanted, current_bucket, 1)
    on conflict (provider, bucket, urgency) do update set calls = present.calls + 1;
  return 0;
end $$;

comment on function reserve_provider_call(text, text, integer, integer, integer, integer, integer, integer, integer) is
  'Counts a call and returns 0, or returns the milliseconds until a place may be free. A bucket lasts width milliseconds; the present one and so many before it are added up.';
