-- Payment services: what they said of each subscription, the keys issued for them, their events, and calls to them.

create table subscription_clock (
  ahead bigint not null check (ahead >= 0)
);

insert into subscription_clock (ahead) values (0);

comment on table subscription_clock is 'One row: how the clock of the database is corrected for ages of verdicts.';
comment on column subscription_clock.ahead is
  'Milliseconds that subscription_time is ahead of the clock of the database: by so much was that clock seen to go back or to lag.';

create function subscription_time() returns timestamptz language sql volatile as $$
  select clock_timestamp() + ahead * interval '1 millisecond' from subscription_clock
$$;

comment on function subscription_time() is
  'Dates verdicts and calls: the clock of the database, moved on when a process sees that less time passed on it than on its own.';

create sequence subscription_question;

comment on sequence subscription_question is
  'Numbers the questions to payment services before they are asked: an answer replaces those to questions of smaller numbers.';

create table subscription_verdict (
  provider text collate "C" not null check (provider in ('polar', 'stripe')),
  reference text collate "C" not null check (length(reference) between 1 and 200),
  key_hash bytea check (octet_length(key_hash) = 32),
  state text not null check (state in ('active', 'expired', 'unknown')),
  reason text check (reason in ('unpaid', 'paused', 'pending', 'replaced')),
  customer text check (length(customer) between 1 and 200),
  tier text check (tier in ('free', 'pro', 'business', 'internal')),
  ends_at timestamptz(3),
  asked_at timestamptz(3) not null,
  since timestamptz(3) not null,
  question bigint not null default nextval('subscription_question'),
  primary key (provider, reference),
  check (state = 'unknown' or reason is null),
  check ((state = 'active') = (tier is not null))
)
-- Every question updates its row: free space on the page keeps it in place.
with (fillfactor = 70);

create unique index subscription_verdict_key on subscription_verdict (provider, key_hash) where key_hash is not null;

comment on table subscription_verdict is
  'What the payment service said last of each subscription: all processes share it, and none believes it for more than 600 s.';
comment on column subscription_verdict.reference is 'As the service names the subscription or its key.';
comment on column subscription_verdict.key_hash is
  'SHA-256 of the API key in upper case; null: none is known. Another hash than before means that the key was replaced.';
comment on column subscription_verdict.reason is 'Why the key of a known subscription opens nothing; null: no reason is known.';
comment on column subscription_verdict.since is 'Date of the question that was first answered with this state.';
comment on column subscription_verdict.asked_at is
  'By subscription_time, rounded down, before the service was asked: what the row says held at that moment or later.';
comment on column subscription_verdict.question is
  'From subscription_question, before the service was asked: only a larger number replaces it.';

create table issued_key (
  id text collate "C" primary key check (id ~ '^key_[0-9a-f]{24}$'),
  provider text collate "C" not null check (provider in ('stripe')),
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  key_hint text not null check (length(key_hint) = 4),
  state text not null check (state in ('pending', 'active', 'ended')),
  subscription text collate "C" check (length(subscription) between 1 and 200),
  checkout text collate "C" check (length(checkout) between 1 and 200),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  activated_at timestamptz(3),
  ended_at timestamptz(3),
  check ((state = 'pending') = (activated_at is null)),
  check ((state = 'ended') = (ended_at is not null)),
  check (state = 'pending' or subscription is not null),
  check (state <> 'pending' or expires_at is not null)
);

create unique index issued_key_subscription on issued_key (provider, subscription) where state = 'active';
create index issued_key_checkout on issued_key (checkout) where checkout is not null;
create index issued_key_pending on issued_key (expires_at) where state = 'pending';

comment on table issued_key is 'Keys that this service made for subscriptions of a payment service that issues none.';
comment on column issued_key.state is
  'pending: shown before the payment, and opens nothing until it is complete. ended: replaced by another key of the subscription.';
comment on column issued_key.checkout is 'The session of the payment; null: the operator issued the key.';
comment on column issued_key.expires_at is 'When a pending key is deleted, because its session has ended unpaid.';

create table billing_event (
  no bigint generated always as identity primary key,
  provider text collate "C" not null check (provider in ('polar', 'stripe')),
  id text collate "C" not null check (length(id) between 1 and 200),
  type text not null check (length(type) between 1 and 200),
  subjects text[] collate "C" not null check (cardinality(subjects) <= 20),
  received_at timestamptz(3) not null,
  handled_at timestamptz(3),
  attempts integer not null default 0,
  due_at timestamptz(3),
  claim uuid,
  last_error text check (length(last_error) <= 500),
  unique (provider, id),
  check ((handled_at is null) = (due_at is not null)),
  check (claim is null or due_at is not null)
);

create index billing_event_due on billing_event (due_at) where due_at is not null;
create index billing_event_received on billing_event (received_at);
create index billing_event_claim on billing_event (claim) where claim is not null;

comment on table billing_event is
  'Events of payment services. They are hints only: what they name is fetched anew, so neither their order nor their content matters.';
comment on column billing_event.id is 'As the service names the event: a repeated one changes nothing.';
comment on column billing_event.subjects is 'What to fetch: subscriptions, keys, customers and sessions, each as kind:id.';
comment on column billing_event.due_at is
  'When it is fetched next; while a process does, when another may, should that one have died. Null: it is done.';
comment on column billing_event.claim is 'Of the process that fetches it: whoever has lost it writes no outcome. Null: nobody does.';

create table provider_call (
  provider text collate "C" not null,
  urgency text not null check (urgency in ('known', 'unknown', 'background')),
  bucket bigint not null,
  calls integer not null check (calls > 0),
  primary key (provider, bucket, urgency)
);

comment on table provider_call is 'Calls of all processes to a payment service of late, by short stretches of time.';
comment on column provider_call.urgency is 'Who waits: a key that was good before, one that was never seen, or nobody.';
comment on column provider_call.bucket is 'Number of the stretch, by subscription_time.';

create function reserve_provider_call(
  called text, wanted text, width integer, buckets integer,
  most integer, most_unknown integer, most_background integer, most_both integer
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
      coalesce(sum(calls) filter (where urgency = 'background'), 0) as background,
      coalesce(min(bucket), current_bucket) as oldest
    into taken from provider_call where provider = called;
  if taken.calls >= most
      or wanted = 'unknown' and taken.unknown >= most_unknown
      or wanted = 'background' and taken.background >= most_background
      or wanted <> 'known' and taken.unknown + taken.background >= most_both then
    return greatest(1, (taken.oldest + buckets + 1) * width - moment);
  end if;
  insert into provider_call as present (provider, urgency, bucket, calls) values (called, wanted, current_bucket, 1)
    on conflict (provider, bucket, urgency) do update set calls = present.calls + 1;
  return 0;
end $$;

comment on function reserve_provider_call(text, text, integer, integer, integer, integer, integer, integer) is
  'Counts a call and returns 0, or returns the milliseconds until a place may be free. A bucket lasts width milliseconds; the present one and so many before it are added up.';

alter table monthly_usage add column last_used_at timestamptz(3);
comment on column monthly_usage.last_used_at is 'When requests were last leased; null: before this was noted.';
