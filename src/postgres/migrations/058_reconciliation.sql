-- Comparisons of a source with a list of all its keys: what operators request of them, and how they ended. What a vendor did to a credential.

alter table source_control add column reconcile_requests bigint not null default 0, add column accepted_request bigint;

comment on column source_control.reconcile_requests is 'How often a comparison with all keys was requested: the process that reads begins one when it grows.';
comment on column source_control.accepted_request is 'The number of the request whose comparison ends what the guard of endings would refuse; null: none.';

create table source_reconciliation (
  source text collate "C" primary key,
  answered bigint not null,
  due_at timestamptz(3) not null,
  fetch_after text,
  outcome json not null
);

comment on table source_reconciliation is 'The last comparison of a source with a list of all its keys.';
comment on column source_reconciliation.answered is 'The number of the last request that was answered by one.';
comment on column source_reconciliation.due_at is 'When the next one is due by itself.';
comment on column source_reconciliation.fetch_after is 'The key after which the next one goes on to fetch listings; null: at the beginning.';
comment on column source_reconciliation.outcome is 'How far it came, or how it ended: counts, a refusal, a failure.';

alter table source_budget add column suspended_at timestamptz(3);

comment on column source_budget.suspended_at is 'Since when a source that suspends credentials refuses this one; null: it does not.';
