-- Webhooks of watchers: where each sends its events, how far it has come, and what became of every delivery.

create table webhook (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique check (length(id) between 5 and 60),
  watcher_no bigint not null references watcher (no) on delete cascade,
  watcher_id text collate "C" not null,
  place smallint not null check (place between 0 and 2),
  url text not null check (length(url) between 1 and 2000),
  host text collate "C" not null,
  is_inner boolean not null,
  status text not null check (status in ('unverified', 'active', 'failing', 'disabled')),
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  position_sequence bigint not null,
  position_type text collate "C" not null default '',
  position_ordinal integer not null default 0,
  position_day date not null default date '-infinity',
  attempt integer not null default 0,
  failures integer not null default 0,
  due_at timestamptz(3),
  retry_at timestamptz(3),
  wakes bigint not null default 0,
  pending_since timestamptz(3),
  test_sequence bigint,
  failing_since timestamptz(3),
  last_success_at timestamptz(3),
  last_error text,
  verify_started_at timestamptz(3),
  claim text collate "C",
  claimed_until timestamptz,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((claim is null) = (claimed_until is null))
)
-- Every delivery updates its row: free space on the page keeps it in place.
with (fillfactor = 50);

create index webhook_watcher on webhook (watcher_id, place);
create index webhook_watcher_no on webhook (watcher_no);
create index webhook_due on webhook (due_at) where due_at is not null;

comment on table webhook is 'Webhooks of watchers, at most three of each: URL, sealed secret, and how far deliveries have come.';
comment on column webhook.watcher_id is 'As of the watcher: events are found by it.';
comment on column webhook.place is 'Place in the delivery list of the watcher, from 0.';
comment on column webhook.host is 'Host and port of the URL, in lower case: deliveries to one host are limited together.';
comment on column webhook.is_inner is
  'Whether only WEBHOOK_ALLOW permits the address of its host: answers from there are not shown.';
comment on column webhook.status is
  'unverified: gets only watcher.test until one was answered with 2xx. failing: the last attempt failed. disabled: gets nothing.';
comment on column webhook.secret is 'Sealed with SECRETS_KEY; the id of the watcher is its additional data.';
comment on column webhook.previous_secret is 'The secret before the last rotation, which also signs until previous_secret_until.';
comment on column webhook.position_sequence is
  'With position_type and position_ordinal: the last event that was handled; events of the watcher behind it follow.';
comment on column webhook.attempt is 'Failed attempts of the event at the head of the queue.';
comment on column webhook.position_day is 'Day of that event, or of the creation: earlier partitions hold nothing that follows.';
comment on column webhook.failures is 'Failed attempts since the last success, whatever the event: how long the pause before the next one is.';
comment on column webhook.due_at is 'When a dispatcher is to look at it; null: nothing to send.';
comment on column webhook.retry_at is 'Until then the queue rests after a failure; null: it does not.';
comment on column webhook.wakes is
  'Grows with everything that gives a dispatcher work: one that ends its work sees that more has come meanwhile.';
comment on column webhook.pending_since is 'Time of the oldest event that was not delivered; null: there is none.';
comment on column webhook.test_sequence is 'Sequence of a watcher.test that is sent out of turn; null: none.';
comment on column webhook.failing_since is 'When the first attempt failed since the last success; null: the last attempt succeeded.';
comment on column webhook.verify_started_at is 'When the verification of the present URL began.';
comment on column webhook.claim is 'Token of the process that delivers; every result names it.';
comment on column webhook.claimed_until is 'By the clock of the database.';

create table webhook_delivery (
  day date not null,
  id text collate "C" not null,
  webhook_no bigint not null,
  watcher_id text collate "C" not null,
  sequence bigint not null,
  type text collate "C" not null,
  ordinal integer not null,
  event_id text collate "C" not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'parked')),
  attempt integer not null,
  http_status smallint,
  latency_ms integer,
  response text,
  error text,
  at timestamptz(3) not null,
  next_attempt_at timestamptz(3),
  redeliver_at timestamptz(3),
  primary key (id, day)
) partition by range (day);

create index webhook_delivery_watcher on webhook_delivery (watcher_id, sequence, type, ordinal, webhook_no);
create index webhook_delivery_redeliver on webhook_delivery (webhook_no) where redeliver_at is not null;

create table webhook_delivery_default partition of webhook_delivery default;

comment on table webhook_delivery is
  'One row for each webhook and event, with its last attempt; partitioned by day like watch_event, and dropped with it.';
comment on column webhook_delivery.day is 'Day of the event.';
comment on column webhook_delivery.id is 'dlv_ and a hash of the ids of webhook and event.';
comment on column webhook_delivery.sequence is 'With watcher_id, type and ordinal: the place of the event in the log.';
comment on column webhook_delivery.status is
  'pending: not answered yet. failed: another attempt follows at next_attempt_at. parked: none follows by itself.';
comment on column webhook_delivery.attempt is 'Attempts so far.';
comment on column webhook_delivery.response is 'First 1,000 bytes of the answer; null: none, or from a network that WEBHOOK_ALLOW permits.';
comment on column webhook_delivery.error is 'Why the last attempt failed; null: it succeeded.';
comment on column webhook_delivery.at is 'When the last attempt was made.';
comment on column webhook_delivery.redeliver_at is 'When its owner asked for one more attempt, out of turn; null: none is open.';
comment on table webhook_delivery_default is 'Days without a partition of their own.';

alter table idempotency_key add column sealed_body bytea;

comment on column idempotency_key.sealed_body is
  'The body of an answer that shows a secret, sealed with SECRETS_KEY; `body` is then empty. Null: it shows none.';
