-- Whether a home is under rent control, for searches; and what RESO servers said of each listing, in their own fields.

alter table listing_search add column rent_control boolean;

create table listing_reso (
  listing_id text collate "C" primary key,
  -- SHA-256 of the record: one that is as it was writes nothing.
  digest bytea not null,
  -- The fields that were asked for, as they came.
  record json not null
)
with (toast_tuple_target = 4080);
