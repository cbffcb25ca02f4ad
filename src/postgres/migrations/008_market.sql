-- The cache of market figures.

create table market_figure_cache (
  area_no integer not null,
  listing_type text not null,
  currency text not null,
  time_zone text not null,
  kind text not null,
  start_date date not null,
  end_date date not null,
  total double precision not null,
  measures json not null,
  primary key (area_no, listing_type, currency, time_zone, kind, end_date, start_date)
);

comment on table market_figure_cache is
  'Figures of whole months that were computed for an area; a write that changes them deletes them.';
comment on column market_figure_cache.area_no is 'area.no; 0: all areas.';
comment on column market_figure_cache.currency is 'Only listings in this currency; empty: all.';
comment on column market_figure_cache.kind is 'Kind of the set of listings or events that is summed up.';
comment on column market_figure_cache.start_date is 'First day; of the inventory at the start of a day, that day.';
comment on column market_figure_cache.end_date is 'End of the period, exclusive; of the inventory at the start of a day, that day.';
comment on column market_figure_cache.total is 'Number of members of the set.';
comment on column market_figure_cache.measures is 'Summary of each measure, by its name.';

create table market_figure_change (
  listing_type text not null,
  area_nos integer[] not null,
  since date not null,
  xid xid8 not null default pg_current_xact_id(),
  changed_at timestamptz not null default clock_timestamp()
);

create index market_figure_change_at on market_figure_change (changed_at);

comment on table market_figure_change is
  'Recent changes of figures: a computation whose snapshot is older than a change does not cache what that changed.';
comment on column market_figure_change.since is 'First day whose figures change.';
comment on column market_figure_change.xid is 'Transaction that made the change.';
comment on column market_figure_change.changed_at is 'By the clock of the database.';
