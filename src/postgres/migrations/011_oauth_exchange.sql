-- Exchange of authorization codes and refresh tokens for new tokens: one statement, one transaction. A JSON array carries one
-- object for each exchange, with times in milliseconds since the epoch and bytes in hexadecimal; results name an exchange by
-- its position, from 1. Each exchange is judged alone: one that is refused issues nothing and changes nothing. Grants are
-- taken in the order of their ids, as by everybody who locks several, so that no two transactions deadlock. Plans are
-- generic and by key, also where a table was small when the plan was made.

create function oauth_rotate(
  presented bytea,
  at timestamptz,
  nonce bytea,
  refresh_hash bytea,
  refresh_expires timestamptz,
  access_hash bytea,
  access_expires timestamptz,
  access_tier text,
  access_scope text,
  access_resources text[],
  renew_before timestamptz,
  grant_expires timestamptz
) returns boolean language plpgsql as $$
declare
  family bigint;
  granted text;
  due boolean;
  keyless boolean;
begin
  -- The row's lock makes processes that rotate the same token take turns: whoever comes second finds it rotated.
  update oauth_refresh_token r set rotated_at = at, successor = nonce
  from oauth_grant g
    left join subscription s on s.id = g.subscription and s.revoked_at is null and (s.ends_at is null or s.ends_at > at)
  where r.hash = presented and r.rotated_at is null and r.expires_at > at
    and g.id = r.grant_id and g.revoked_at is null
    and (access_tier is not null or g.subscription is null or s.id is not null)
  returning r.grant_id, coalesce(access_tier, s.tier, 'free'),
    g.tier <> coalesce(access_tier, s.tier, 'free') or g.renewed_at < renew_before, g.subscription is null
  into family, granted, due, keyless;
  if family is null then
    return false;
  end if;
  insert into oauth_refresh_token (hash, grant_id, expires_at, keyless)
  values (refresh_hash, family, refresh_expires, keyless);
  insert into oauth_access_token (hash, grant_id, expires_at, tier, scope, resources)
  values (access_hash, family, access_expires, granted, access_scope, access_resources);
  if due then
    update oauth_grant set tier = granted, renewed_at = at, expires_at = grant_expires where id = family;
  end if;
  return true;
end $$;

comment on function oauth_rotate(bytea, timestamptz, bytea, bytea, timestamptz, bytea, timestamptz, text, text, text[],
  timestamptz, timestamptz) is
  'Replaces one refresh token and returns whether it did; without access_tier the tier is that of the subscription at that moment, and nothing is replaced where the subscription has ended.';

create function oauth_rotate_all(exchanges text) returns integer[] language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
declare
  each record;
  done integer[] := '{}';
begin
  for each in
    select a.* from rows from (json_to_recordset(exchanges::json) as ("presentedHash" text, nonce text,
        "refreshHash" text, "accessHash" text, tier text, scope text, resources text[],
        now float8, "accessExpires" float8, "refreshExpires" float8, "grantExpires" float8, "renewBefore" float8))
      with ordinality as a
      join oauth_refresh_token r on r.hash = decode(a."presentedHash", 'hex')
    order by r.grant_id
  loop
    if oauth_rotate(decode(each."presentedHash", 'hex'), to_timestamp(each.now / 1000), decode(each.nonce, 'hex'),
      decode(each."refreshHash", 'hex'), to_timestamp(each."refreshExpires" / 1000),
      decode(each."accessHash", 'hex'), to_timestamp(each."accessExpires" / 1000),
      each.tier, each.scope, each.resources,
      to_timestamp(each."renewBefore" / 1000), to_timestamp(each."grantExpires" / 1000)) then
      done := done || each.ordinality::integer;
    end if;
  end loop;
  return done;
end $$;

comment on function oauth_rotate_all(text) is
  'Replaces refresh tokens and returns the positions of those that were replaced.';

-- `proof` is the SHA-256 of the challenge that the verifier makes, so the time of its comparison tells nothing about either;
-- `redirectUri` and `resources` are null where they were not sent; `longest` limits the life of what is issued, in
-- milliseconds from the consent, and null does not.
create function oauth_redeem_all(exchanges text)
returns table (place integer, "grant" bigint, scope text, resources text[], subscription text, created_at timestamptz)
language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
#variable_conflict use_column
declare
  each record;
  taken record;
  last_date timestamptz;
begin
  for each in
    select a.* from rows from (json_to_recordset(exchanges::json) as ("codeHash" text, "clientId" text,
        "redirectUri" text, proof text, resources text[], "refreshHash" text, "accessHash" text,
        now float8, "accessExpires" float8, "refreshExpires" float8, "grantExpires" float8, longest float8))
      with ordinality as a
      join oauth_code c on c.hash = decode(a."codeHash", 'hex')
    order by c.grant_id
  loop
    update oauth_code c set used_at = to_timestamp(each.now / 1000)
    from oauth_grant g
    where c.hash = decode(each."codeHash", 'hex') and c.used_at is null and c.expires_at > to_timestamp(each.now / 1000)
      and g.id = c.grant_id and g.revoked_at is null and g.client_id = each."clientId"
      and (each."redirectUri" is null or g.redirect_uri = each."redirectUri")
      and (each.resources is null or g.resources @> each.resources)
      and sha256(c.challenge::bytea) = decode(each.proof, 'hex')
    returning g.* into taken;
    continue when not found;
    -- The least of times leaves out what is null.
    last_date := taken.created_at + each.longest * interval '1 millisecond';
    insert into oauth_refresh_token (hash, grant_id, expires_at, keyless)
    values (decode(each."refreshHash", 'hex'), taken.id, least(to_timestamp(each."refreshExpires" / 1000), last_date),
      taken.subscription is null);
    insert into oauth_access_token (hash, grant_id, expires_at, tier, resources)
    values (decode(each."accessHash", 'hex'), taken.id, least(to_timestamp(each."accessExpires" / 1000), last_date),
      taken.tier, case when not each.resources @> taken.resources then each.resources end);
    update oauth_grant set renewed_at = to_timestamp(each.now / 1000),
      expires_at = least(to_timestamp(each."grantExpires" / 1000), last_date)
    where id = taken.id;
    return query select each.ordinality::integer, taken.id, taken.scope, taken.resources, taken.subscription, taken.created_at;
  end loop;
end $$;

comment on function oauth_redeem_all(text) is
  'Redeems authorization codes whose parameters are all right, so that a mistake burns none, and returns the grants of those that were redeemed.';
