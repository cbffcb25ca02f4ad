-- How long a source asked to wait, for the processes that did not ask it themselves.

alter table live_flight add column retry_at timestamptz;

comment on column live_flight.retry_at is 'By the clock of the database: the source wants no request before. Null: it did not say.';
