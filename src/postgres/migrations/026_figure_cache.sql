-- Figures of whole months that areas were asked for, kept until a write changes what they are of.

-- A set of listings or events over a span, summed up. Of what is on the market as a day begins, both ends are that day.
create table market_figure_cache (
  -- 0: everywhere.
  area_no integer not null,
  listing_type text not null,
  -- Of listings in this currency alone; empty: of all.
  currency text not null,
  time_zone text not null,
  kind text not null,
  start_on date not null,
  end_on date not null,
  -- How many members, and each measure summed up by its name.
  total double precision not null,
  measures json not null,
  primary key (area_no, listing_type, currency, time_zone, kind, end_on, start_on)
);

-- What writers lately changed of figures: whoever has read before such a write keeps nothing of what it changed.
create table market_figure_change (
  listing_type text not null,
  area_nos integer[] not null,
  since date not null,
  xid xid8 not null default pg_current_xact_id(),
  changed_at timestamptz not null default clock_timestamp()
);

create index market_figure_change_at on market_figure_change (changed_at);
