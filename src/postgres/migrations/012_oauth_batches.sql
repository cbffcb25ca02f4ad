-- Exchanges of codes and refresh tokens, many in one call: one round trip, one commit and one flush for all who come at
-- once. Each is still judged alone, by the function for one; who is refused gets nothing and takes nothing from others.
-- The functions for many say how plans are made, for themselves and for those that they call: once for each connection,
-- and by key, also where a table was small when the plan was made.

-- As it was, but the grant is looked up once, and written only when its dates or its tier are due.
create or replace function oauth_rotate(
  presented bytea,
  at timestamptz,
  sealed bytea,
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
  due boolean;
begin
  -- The row's lock makes processes that rotate the same token take turns: whoever comes second finds it rotated.
  update oauth_refresh_token r set rotated_at = at, successor = sealed
  from oauth_grant g
  where r.hash = presented and r.rotated_at is null and r.expires_at > at
    and g.id = r.grant_id and g.revoked_at is null
  returning r.grant_id, g.tier <> access_tier or g.renewed_at < renew_before into family, due;
  if family is null then
    return false;
  end if;
  insert into oauth_refresh_token (hash, grant_id, expires_at) values (refresh_hash, family, refresh_expires);
  insert into oauth_access_token (hash, grant_id, expires_at, tier, scope, resources)
  values (access_hash, family, access_expires, access_tier, access_scope, access_resources);
  if due then
    update oauth_grant set tier = access_tier, renewed_at = at, expires_at = grant_expires where id = family;
  end if;
  return true;
end $$;

-- Element n of each array belongs to exchange n. Times are milliseconds of the epoch; resources are parted by spaces.
-- Gives the places, from 1, of those that came about. Grants are taken in the order of their ids, as by everybody who
-- takes several: nobody then waits for whom they hold up.
create function oauth_rotate_all(
  presented bytea[],
  at float8[],
  sealed bytea[],
  refresh_hash bytea[],
  refresh_expires float8[],
  access_hash bytea[],
  access_expires float8[],
  access_tier text[],
  access_scope text[],
  access_resources text[],
  renew_before float8[],
  grant_expires float8[]
) returns integer[] language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
declare
  each record;
  done integer[] := '{}';
begin
  for each in
    select a.* from unnest(presented, at, sealed, refresh_hash, refresh_expires, access_hash, access_expires, access_tier,
        access_scope, access_resources, renew_before, grant_expires)
      with ordinality as a (presented, at, sealed, refresh_hash, refresh_expires, access_hash, access_expires, tier, scope,
        resources, renew_before, grant_expires, place)
      join oauth_refresh_token r on r.hash = a.presented
    order by r.grant_id
  loop
    if oauth_rotate(each.presented, to_timestamp(each.at / 1000), each.sealed,
      each.refresh_hash, to_timestamp(each.refresh_expires / 1000),
      each.access_hash, to_timestamp(each.access_expires / 1000),
      each.tier, each.scope, string_to_array(each.resources, ' '),
      to_timestamp(each.renew_before / 1000), to_timestamp(each.grant_expires / 1000)) then
      done := done || each.place::integer;
    end if;
  end loop;
  return done;
end $$;

-- Takes the code, and writes its tokens; false when somebody else took it, or its grant has ended.
create function oauth_redeem(
  code bytea,
  at timestamptz,
  refresh_hash bytea,
  refresh_expires timestamptz,
  access_hash bytea,
  access_expires timestamptz,
  access_resources text[],
  grant_expires timestamptz
) returns boolean language plpgsql as $$
declare
  family bigint;
  granted text;
begin
  update oauth_code c set used_at = at
  from oauth_grant g
  where c.hash = code and c.used_at is null and c.expires_at > at
    and g.id = c.grant_id and g.revoked_at is null
  returning c.grant_id, g.tier into family, granted;
  if family is null then
    return false;
  end if;
  insert into oauth_refresh_token (hash, grant_id, expires_at) values (refresh_hash, family, refresh_expires);
  insert into oauth_access_token (hash, grant_id, expires_at, tier, resources)
  values (access_hash, family, access_expires, granted, access_resources);
  update oauth_grant set renewed_at = at, expires_at = grant_expires where id = family;
  return true;
end $$;

-- As oauth_rotate_all.
create function oauth_redeem_all(
  code bytea[],
  at float8[],
  refresh_hash bytea[],
  refresh_expires float8[],
  access_hash bytea[],
  access_expires float8[],
  access_resources text[],
  grant_expires float8[]
) returns integer[] language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
declare
  each record;
  done integer[] := '{}';
begin
  for each in
    select a.* from unnest(code, at, refresh_hash, refresh_expires, access_hash, access_expires, access_resources,
        grant_expires)
      with ordinality as a (code, at, refresh_hash, refresh_expires, access_hash, access_expires, resources, grant_expires,
        place)
      join oauth_code c on c.hash = a.code
    order by c.grant_id
  loop
    if oauth_redeem(each.code, to_timestamp(each.at / 1000),
      each.refresh_hash, to_timestamp(each.refresh_expires / 1000),
      each.access_hash, to_timestamp(each.access_expires / 1000),
      string_to_array(each.resources, ' '), to_timestamp(each.grant_expires / 1000)) then
      done := done || each.place::integer;
    end if;
  end loop;
  return done;
end $$;
