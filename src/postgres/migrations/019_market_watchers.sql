-- Watchers of market figures: the figures that are computed for them, and whether each condition is met; leases of work that
-- one process at a time does; and the refreshes of listings that watchers watch.

alter table watcher drop constraint watcher_target_type_check;
alter table watcher add constraint watcher_target_type_check
  check (target_type in ('listing', 'property', 'search', 'market'));

create table watch_figure (
  no bigint generated always as identity primary key,
  key text collate "C" not null unique check (length(key) between 2 and 1000),
  value double precision,
  computed_at timestamptz(3),
  due_at timestamptz(3) not null
);

create index watch_figure_due on watch_figure (due_at);

comment on table watch_figure is 'Market figures that conditions of watchers compare: each is computed once for all of them.';
comment on column watch_figure.key is 'The figure as JSON in one form: area, listing type, metric, filters, currency, window.';
comment on column watch_figure.value is 'The last that was known: samples that are too small have none.';
comment on column watch_figure.computed_at is 'When that value was computed.';
comment on column watch_figure.due_at is 'When it is computed next, if an active watcher has a condition on it.';

create table watch_condition (
  watcher_no bigint primary key references watcher (no) on delete cascade,
  figure_no bigint not null references watch_figure (no),
  op text not null,
  threshold double precision not null,
  is_met boolean,
  value double precision,
  since timestamptz(3) not null
);

create index watch_condition_figure on watch_condition (figure_no);

comment on table watch_condition is 'Conditions of watchers of market figures.';
comment on column watch_condition.is_met is 'As it was last evaluated; null: not since the watcher became active.';
comment on column watch_condition.value is 'The figure at that evaluation.';
comment on column watch_condition.since is 'When the watcher became active, by the clock of the service: its condition is watched from then on.';

create function forget_watch_condition() returns trigger language plpgsql as $$
begin
  update watch_condition set is_met = null, value = null, since = new.updated_at where watcher_no = new.no;
  return null;
end $$;

comment on function forget_watch_condition is
  'A watcher that becomes active again finds the state of its condition anew: what happened while it was paused is not told.';

create trigger watcher_resumed after update of status on watcher for each row
when (new.target_type = 'market' and new.status = 'active' and old.status <> 'active')
execute function forget_watch_condition();

create table work_lease (
  name text collate "C" primary key,
  holder text collate "C" not null,
  leased_until timestamptz not null
);

comment on table work_lease is 'Periodic work that one process at a time does, and which one.';
comment on column work_lease.leased_until is 'By the clock of the database; another process takes the work over then.';

create table watch_refresh (
  listing_id text collate "C" primary key,
  attempted_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  failures integer not null default 0
);

create index watch_refresh_attempted on watch_refresh (attempted_at);

comment on table watch_refresh is 'Listings that were fetched from their source because they are watched.';
comment on column watch_refresh.attempted_at is 'Written before the fetch: those of the last minute count against the budget of the source.';
comment on column watch_refresh.failures is 'Attempts that have failed since the last success.';
comment on column watch_refresh.next_at is 'Not fetched again before.';

create index watcher_refreshed on watcher (no) where status = 'active' and target_type in ('listing', 'property');

comment on index watcher_refreshed is 'Watchers whose listings are refreshed.';
