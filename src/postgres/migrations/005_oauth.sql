-- What the authorization server has issued. Of every secret only its SHA-256 is kept: 256 random bits cannot be guessed
-- from it. Tables that every refresh writes are narrow, with two indexes and no foreign keys: a key's check would lock and
-- write the grant's row for every token. One function writes a grant's rows together, and the sweep takes a grant away
-- only when nothing can be left of it. Times are written by the service's own clock, except where it says otherwise.

-- What somebody allowed one client: everything issued from one consent ends with its row.
create table oauth_grant (
  id bigint generated always as identity primary key,
  client_id text collate "C" not null check (length(client_id) between 1 and 2048),
  redirect_uri text collate "C" not null check (length(redirect_uri) between 1 and 2048),
  -- Parted by spaces, as in the protocol.
  scope text not null,
  -- The resources it may be used at, as URLs.
  resources text[] not null check (cardinality(resources) > 0),
  -- As of the last refresh.
  tier text not null check (tier in ('free', 'pro', 'business', 'internal')),
  -- The provider's reference, never the key; null: the Free tier without a key.
  subscription text collate "C" check (length(subscription) between 1 and 200),
  -- Digest of the address, or /64, that consented: a grant without a key is counted against it.
  address_hash bytea check (octet_length(address_hash) = 32),
  created_at timestamptz(3) not null,
  -- When it was last used at the token endpoint, true to the day: a refresh seldom has to write here.
  renewed_at timestamptz(3) not null,
  -- Nothing issued from it is of use after that; moved on with renewed_at.
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  -- Why it was revoked: a word of src/oauth/audit.ts.
  revoked_for text collate "C",
  check (subscription is not null or address_hash is not null),
  check ((revoked_at is null) = (revoked_for is null))
) with (fillfactor = 85);

create index oauth_grant_subscription on oauth_grant (subscription) where subscription is not null;
create index oauth_grant_client on oauth_grant (client_id);
create index oauth_grant_expires on oauth_grant (expires_at);

-- Used codes stay until the access token made from them has expired, so that a second use is noticed.
create table oauth_code (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  -- The S256 challenge.
  challenge text collate "C" not null check (length(challenge) = 43),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
) with (fillfactor = 70);

create index oauth_code_expires on oauth_code (expires_at);

-- A rotated row stays until its own expiry: who shows it again gives the family away.
create table oauth_refresh_token (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  -- The pair that replaced it, sealed under a key that only the holder of this token can derive.
  successor bytea check (octet_length(successor) <= 128)
)
-- Each row is updated once, and grows: room on the page keeps the indexes out of it.
with (fillfactor = 50);

create index oauth_refresh_token_expires on oauth_refresh_token (expires_at);

create table oauth_access_token (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  expires_at timestamptz(3) not null,
  -- As it was when the token was issued.
  tier text not null,
  -- Null: all that the grant holds.
  scope text,
  resources text[]
);

create index oauth_access_token_expires on oauth_access_token (expires_at);

-- Who was revoked of late: read by every process that believes tokens it has seen before. Times are the database's,
-- which all processes share.
create table oauth_revocation (
  at timestamptz not null default clock_timestamp(),
  grant_id bigint,
  token_hash bytea check (octet_length(token_hash) = 32),
  check ((grant_id is null) <> (token_hash is null))
);

create index oauth_revocation_at on oauth_revocation (at);
