-- Whoever holds a subscription, over all of theirs; and the grants that watchers depend on.

alter table subscription
  add column customer text collate "C" check (length(customer) between 1 and 200);

comment on column subscription.customer is
  'Reference of the operator to whoever holds it, the same over all their subscriptions; null: not known.';

alter table oauth_grant
  add column customer text collate "C" check (length(customer) between 1 and 200),
  add column watched boolean not null default false;

comment on column oauth_grant.customer is 'Customer of the subscription, as the provider said last; null: not known.';
comment on column oauth_grant.watched is
  'Whether an active watcher depends on this grant without a key: it is then not unused.';
