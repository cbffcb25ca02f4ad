-- Clients of the authorization server, and the one secret that it keeps. Times are written by the service's own clock.

-- Clients that registered themselves. A row bounds new authorizations only: what was granted outlives it.
create table oauth_client (
  id text collate "C" primary key check (length(id) between 16 and 200),
  -- As the client calls itself.
  name text not null check (length(name) between 1 and 100),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  -- Addresses about it that it gave: shown to the operator, never fetched.
  about jsonb not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When something was first granted to it; null: never.
  used_at timestamptz(3)
);

create index oauth_client_expires on oauth_client (expires_at);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;

-- Clients that the operator shut out, of whatever kind: remembered also when nothing else is known of them any more.
create table oauth_revoked_client (
  id text collate "C" primary key check (length(id) between 1 and 2048),
  revoked_at timestamptz(3) not null
);

-- 32 random bytes that all processes share: what they sign holds for each other. Each UUID brings 122 random bits.
create table oauth_secret (
  one boolean primary key default true check (one),
  secret bytea not null check (octet_length(secret) = 32)
);

insert into oauth_secret (secret)
select sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) from generate_series(1, 4);
