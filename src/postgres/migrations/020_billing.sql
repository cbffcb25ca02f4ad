-- Payment services: what they said of each subscription, the keys issued for them, their events, and calls to them.

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
  primary key (provider, reference),
  check (state = 'unknown' or reason is null),
  check ((state = 'active') = (tier is not null))
)
-- Every question updates its row: free space on the page keeps it in place.
with (fillfactor = 70);

create unique index subscription_verdict_key on subscription_verdict (provider, key_hash) where key_hash is not null;
create index subscription_verdict_age on subscription_verdict (provider, asked_at);

comment on table subscription_verdict is
  'What the payment service said last of each subscription: all processes share it, and none believes it for more than 600 s.';
comment on column subscription_verdict.reference is 'As the service names the subscription or its key.';
comment on column subscription_verdict.key_hash is
  'SHA-256 of the API key in upper case; null: none is known. Another hash than before means that the key was replaced.';
comment on column subscription_verdict.reason is 'Why the key of a known subscription opens nothing; null: no reason is known.';
comment on column subscription_verdict.asked_at is
  'By the clock of the database, rounded down, before the service was asked: its answer may be older than the row, never newer.';

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

create unlogged table provider_call (
  provider text collate "C" not null,
  bucket bigint not null,
  calls integer not null check (calls >= 0),
  primary key (provider, bucket)
)
with (fillfactor = 50);

comment on table provider_call is 'Calls of all processes to a payment service in the last minute, by short stretches of time.';
comment on column provider_call.bucket is 'Number of the stretch, by the clock of the database.';

alter table monthly_usage add column last_used_at timestamptz(3);
comment on column monthly_usage.last_used_at is 'When requests were last leased; null: before this was noted.';
