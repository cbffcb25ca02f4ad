-- Listings that programs push: what they last sent of each, and in which order.

create table pushed_listing (
  source text collate "C" not null,
  listing_key text collate "C" not null,
  document jsonb,
  digest bytea check (octet_length(digest) = 32),
  sequence bigint,
  modified_at timestamptz(3),
  received_at timestamptz(3),
  faults json,
  refused_at timestamptz(3),
  primary key (source, listing_key)
);

comment on table pushed_listing is
  'What a program last sent of each listing of a source, written in the transaction of the listing itself.';
comment on column pushed_listing.document is
  'The record as it was sent, which a PATCH changes; null: only an end, or only refused records, came.';
comment on column pushed_listing.digest is 'SHA-256 of the last message that counted: a repeated one is known by it.';
comment on column pushed_listing.sequence is 'The sender''s number of that message; it never falls.';
comment on column pushed_listing.modified_at is 'The sender''s time of that message, where it sends no number; it never falls.';
comment on column pushed_listing.faults is 'What was wrong with a record that was refused since; null: none was.';
