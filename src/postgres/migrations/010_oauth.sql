-- Clients, grants, codes and tokens of the authorization server. Secrets are stored as SHA-256 only: 256 random bits cannot
-- be guessed from it. Tables that every refresh writes are narrow, with two or three indexes and no foreign keys: a key's
-- check would lock and write the row of the grant for every token. One function writes a grant's rows together, and the
-- sweep deletes a grant only when nothing issued from it can be left.

create table oauth_client (
  id text collate "C" primary key check (length(id) between 16 and 200),
  name text not null check (length(name) between 1 and 100),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  about jsonb not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

create index oauth_client_expires on oauth_client (expires_at);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;

comment on table oauth_client is
  'Clients that registered themselves; a row limits new authorizations only, and existing grants outlive it.';
comment on column oauth_client.name is 'Name that the client gave itself.';
comment on column oauth_client.about is 'URLs about the client that it gave; shown to the operator, never fetched.';
comment on column oauth_client.used_at is 'When a grant was first issued to the client; null: never.';

create table oauth_client_document (
  url text collate "C" primary key check (length(url) between 1 and 2048),
  client_name text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  fetched_at timestamptz(3) not null,
  fresh_until timestamptz(3) not null
);

create index oauth_client_document_fetched on oauth_client_document (fetched_at);

comment on table oauth_client_document is
  'Cache, shared by all processes, of valid metadata documents of clients whose id is a URL.';

create table oauth_revoked_client (
  id text collate "C" primary key check (length(id) between 1 and 2048),
  revoked_at timestamptz(3) not null
);

comment on table oauth_revoked_client is
  'Clients of any kind that the operator revoked, also when nothing else is stored about them any more.';

create table oauth_secret (
  singleton boolean primary key default true check (singleton),
  secret bytea not null check (octet_length(secret) = 32)
);

-- Each UUID brings 122 random bits.
insert into oauth_secret (secret)
select sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) from generate_series(1, 4);

comment on table oauth_secret is 'One row: the secret with which all processes sign, so that each accepts what another signed.';

create table oauth_grant (
  id bigint generated always as identity primary key,
  client_id text collate "C" not null check (length(client_id) between 1 and 2048),
  redirect_uri text collate "C" not null check (length(redirect_uri) between 1 and 2048),
  scope text not null,
  resources text[] not null check (cardinality(resources) > 0),
  tier text not null check (tier in ('free', 'pro', 'business', 'internal')),
  subscription text collate "C" check (length(subscription) between 1 and 200),
  address_hash bytea check (octet_length(address_hash) = 32),
  created_at timestamptz(3) not null,
  renewed_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_for text collate "C",
  check (subscription is not null or address_hash is not null),
  check ((revoked_at is null) = (revoked_for is null))
) with (fillfactor = 85);

create index oauth_grant_subscription on oauth_grant (subscription) where subscription is not null;
create index oauth_grant_client on oauth_grant (client_id);
create index oauth_grant_expires on oauth_grant (expires_at);
create index oauth_grant_keyless on oauth_grant (address_hash, expires_at) where subscription is null and revoked_at is null;
create index oauth_grant_keyless_ended on oauth_grant (id) where subscription is null and revoked_at is not null;

comment on table oauth_grant is 'Consents: everything issued from one consent ends with its row.';
comment on column oauth_grant.scope is 'Scopes, separated by spaces.';
comment on column oauth_grant.resources is 'URLs of the resources at which the tokens are valid.';
comment on column oauth_grant.tier is 'Tier as of the last refresh.';
comment on column oauth_grant.subscription is
  'Reference of the provider to the subscription, never the key; null: the Free tier without a key.';
comment on column oauth_grant.address_hash is
  'SHA-256 of the IP address, or /64, that consented; grants without a key are limited by it.';
comment on column oauth_grant.renewed_at is
  'When the grant was last used at the token endpoint, exact to the day, so that few refreshes write here.';
comment on column oauth_grant.expires_at is 'Nothing issued from the grant is valid after this time; renewed with renewed_at.';
comment on column oauth_grant.revoked_for is 'Reason of the revocation, as in the audit log.';
comment on index oauth_grant_keyless is 'Grants without a key that are in force, by the address that consented.';
comment on index oauth_grant_keyless_ended is 'Grants without a key that have ended and are to be deleted.';

create table oauth_code (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  challenge text collate "C" not null check (length(challenge) = 43),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
) with (fillfactor = 70);

create index oauth_code_expires on oauth_code (expires_at);

comment on table oauth_code is
  'Authorization codes; a used one stays until the access token from it has expired, so that a second use is noticed.';
comment on column oauth_code.hash is 'SHA-256 of the code.';
comment on column oauth_code.challenge is 'PKCE challenge by the method S256.';

create table oauth_refresh_token (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  -- Each UUID brings 122 random bits.
  nonce bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  keyless boolean not null default false
)
-- Each row is updated once: free space on the page keeps the update out of the indexes.
with (fillfactor = 50);

create index oauth_refresh_token_expires on oauth_refresh_token (expires_at);
create index oauth_refresh_token_keyless on oauth_refresh_token (grant_id) where keyless;

comment on table oauth_refresh_token is
  'Refresh tokens; a rotated one stays until it expires, so that its reuse is noticed.';
comment on column oauth_refresh_token.hash is 'SHA-256 of the token.';
comment on column oauth_refresh_token.nonce is
  'Random bits from which, together with the token itself, the pair that replaces it is derived.';
comment on column oauth_refresh_token.keyless is
  'Whether the grant has no key; anybody can make such grants, so when one ends its tokens are found and deleted at once.';

create table oauth_access_token (
  hash bytea primary key check (octet_length(hash) = 32),
  grant_id bigint not null,
  expires_at timestamptz(3) not null,
  tier text not null,
  scope text,
  resources text[]
);

create index oauth_access_token_expires on oauth_access_token (expires_at);

comment on table oauth_access_token is 'Access tokens.';
comment on column oauth_access_token.hash is 'SHA-256 of the token.';
comment on column oauth_access_token.tier is 'Tier when the token was issued.';
comment on column oauth_access_token.scope is 'Scopes, separated by spaces; null: all of the grant.';
comment on column oauth_access_token.resources is 'Resources; null: all of the grant.';

create table oauth_revocation (
  at timestamptz not null default clock_timestamp(),
  grant_id bigint,
  token_hash bytea check (octet_length(token_hash) = 32),
  check ((grant_id is null) <> (token_hash is null))
);

create index oauth_revocation_at on oauth_revocation (at);

comment on table oauth_revocation is
  'Recent revocations of a grant or a single token, read by every process that caches verified tokens.';
comment on column oauth_revocation.at is 'By the clock of the database, which all processes share.';
