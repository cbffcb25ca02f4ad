-- Watchers: what an owner asks to be told about, whose subscriptions pay for it, and the answers of idempotent requests.

create table watcher (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique check (length(id) between 5 and 60),
  shard smallint not null generated always as ((no % 64)::smallint) stored,
  owner text collate "C" not null check (length(owner) between 1 and 250),
  allowance text collate "C" not null check (length(allowance) between 1 and 250),
  subscription text collate "C" check (length(subscription) between 1 and 200),
  grant_id text collate "C" check (length(grant_id) between 1 and 60),
  name text,
  target_type text not null check (target_type in ('listing', 'property', 'search')),
  target json not null,
  search json,
  interpretation json,
  events text[] not null check (cardinality(events) > 0),
  cadence text check (cadence in ('instant', 'hourly', 'daily', 'weekly')),
  events_per_hour integer,
  ignore_display_rules boolean not null,
  backfill boolean not null,
  status text not null check (status in ('active', 'paused', 'disabled', 'expired')),
  status_reason text check (status_reason in ('owner', 'over_limit', 'subscription_ended', 'delivery_failed')),
  expires_at timestamptz(3),
  metadata json not null,
  initial_match_count integer,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((target_type = 'search') = (search is not null)),
  check ((subscription is null) = (grant_id is not null)),
  check ((status in ('paused', 'disabled')) = (status_reason is not null))
) with (fillfactor = 85);

create index watcher_by_owner on watcher (owner, no);
create index watcher_by_allowance on watcher (allowance, no) where status <> 'expired';
create index watcher_over_limit on watcher (allowance) where status_reason = 'over_limit';
create index watcher_shard on watcher (shard, no) where status = 'active';
create index watcher_expires on watcher (expires_at) where expires_at is not null and status <> 'expired';
create index watcher_ended on watcher (updated_at) where status = 'expired';
create index watcher_grant on watcher (grant_id) where grant_id is not null;

comment on table watcher is
  'Watchers. Each change of a row has an entry in the log of changes, written in the same transaction.';
comment on column watcher.no is 'Order of creation; where an owner has more watchers than its plan allows, the oldest stay active.';
comment on column watcher.shard is 'Which of the 64 parts of the matching holds it.';
comment on column watcher.owner is
  'cus:<customer>, else sub:<subscription>; of a grant without a key grant:<grant>. Only its owner sees a watcher.';
comment on column watcher.allowance is
  'Whose number of watchers it counts against: the owner, or for grants without a key the address, free:<digest>.';
comment on column watcher.subscription is 'The subscription that created it; null: a grant without a key did.';
comment on column watcher.target is 'The target as its owner wrote it.';
comment on column watcher.search is 'The search as it was understood when the watcher was created; events follow from this.';
comment on column watcher.interpretation is 'What was understood, for people: areas, words, currency, units.';
comment on column watcher.cadence is 'Null: events are in the log and the feeds alone.';
comment on column watcher.events_per_hour is 'Events an hour that the plan allows its owner, as of the last look; null: unlimited.';
comment on column watcher.ignore_display_rules is
  'Whether listings are matched that their source does not allow to be shown: as its owner asked, while the plan allows it.';
comment on column watcher.initial_match_count is 'Listings that matched at the creation; null: counting them took too long.';
comment on column watcher.version is 'Grows by one with each change; the entity tag.';
comment on index watcher_by_allowance is 'Watchers that count against a plan''s number.';
comment on index watcher_ended is 'Expired watchers, deleted when their events are.';

create table watcher_owner (
  owner text collate "C" primary key,
  allowance text collate "C" not null,
  grant_id text collate "C",
  plan text not null check (plan in ('free', 'pro', 'business', 'internal')),
  has_ended boolean not null default false,
  applied_limits text not null default '',
  checked_at timestamptz(3) not null,
  claimed_until timestamptz
);

create index watcher_owner_checked on watcher_owner (checked_at);

comment on table watcher_owner is 'Owners of watchers, and the plan that sets their limits.';
comment on column watcher_owner.allowance is 'As of its watchers.';
comment on column watcher_owner.grant_id is 'The grant that the owner is; null: its subscriptions pay.';
comment on column watcher_owner.plan is 'The highest plan in force when it was last checked.';
comment on column watcher_owner.has_ended is 'True once no subscription is in force: its watchers are paused.';
comment on column watcher_owner.applied_limits is 'The limits that its watchers were last fitted to.';
comment on column watcher_owner.claimed_until is 'Until then one process is checking it; by the clock of the database.';

create table watcher_owner_subscription (
  owner text collate "C" not null references watcher_owner on delete cascade,
  subscription text collate "C" not null,
  primary key (owner, subscription)
);

comment on table watcher_owner_subscription is
  'Subscriptions with which an owner has used its watchers: a key is replaced by a new subscription of the same customer.';

create table idempotency_key (
  owner text collate "C" not null,
  key text collate "C" not null check (length(key) between 1 and 255),
  body_hash bytea not null check (octet_length(body_hash) = 32),
  status smallint not null,
  headers json not null,
  body text not null,
  created_at timestamptz(3) not null,
  primary key (owner, key)
);

create index idempotency_key_created on idempotency_key (created_at);

comment on table idempotency_key is
  'Answers of requests that carried an Idempotency-Key, written in the transaction that did what they ask.';
comment on column idempotency_key.body_hash is 'SHA-256 of the request''s body in canonical form.';
