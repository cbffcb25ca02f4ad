-- Live fetches under way, so that all processes together call a source once for one listing.

create unlogged table live_flight (
  listing_id text collate "C" primary key,
  flight uuid not null,
  leased_until timestamptz not null,
  ended_at timestamptz,
  outcome text,
  message text
);

comment on table live_flight is 'Fetches of single listings that are under way, or ended within the last minute. Lost by a crash, which ends them.';
comment on column live_flight.flight is 'Of one fetch: who has it is the one who fetches.';
comment on column live_flight.leased_until is 'By the clock of the database: another process fetches then.';
comment on column live_flight.outcome is 'Null with ended_at: nobody waited for it any more.';
