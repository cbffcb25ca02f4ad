-- The rotation of a refresh token, which every session does every hour: one call, one round trip, one transaction.

-- A function so that its plans are made once for each connection: connections plan every statement anew for the values at
-- hand, which here, where each row is found by its key, took longer than the work itself.
create function oauth_rotate(
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
) returns boolean language plpgsql set plan_cache_mode to force_generic_plan as $$
declare
  family bigint;
begin
  -- The row's lock makes processes that rotate the same token take turns: whoever comes second finds it rotated.
  update oauth_refresh_token r set rotated_at = at, successor = sealed
  where r.hash = presented and r.rotated_at is null and r.expires_at > at
    and exists (select from oauth_grant g where g.id = r.grant_id and g.revoked_at is null)
  returning r.grant_id into family;
  if family is null then
    return false;
  end if;
  insert into oauth_refresh_token (hash, grant_id, expires_at) values (refresh_hash, family, refresh_expires);
  insert into oauth_access_token (hash, grant_id, expires_at, tier, scope, resources)
  values (access_hash, family, access_expires, access_tier, access_scope, access_resources);
  update oauth_grant set tier = access_tier, renewed_at = at, expires_at = grant_expires
  where id = family and (tier <> access_tier or renewed_at < renew_before);
  return true;
end $$;
