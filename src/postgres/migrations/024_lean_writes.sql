-- What every write of a listing paid for, and nothing reads.

-- Histories are read by listing.
drop index listing_event_property;

-- Ids are digests of identities, so those of two rows can only be the same where the ids are.
alter table property
  drop constraint property_identity_key,
  drop column version,
  drop column updated_at;

-- A new price then stays on its page, and out of the indexes.
alter table market_listing set (fillfactor = 90);
