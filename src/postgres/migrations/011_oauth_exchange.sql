-- Exchange of authorization codes and refresh tokens for new tokens: one statement each, which locks the code or the token,
-- decides by its state, and returns the outcome by name. These functions own what the state permits: whether a code is used, a
-- refresh token is replaced, and what became of the pair that replaced it. What a request may ask for is checked before, in
-- src/oauth/token/grant-types. They are functions because a statement that has waited for a lock would go on with the rows
-- that it saw before, and each statement of a function sees what was committed last; and because plans are made once for each
-- connection. Plans are by key, also where a table was small when the plan was made.

create function oauth_code_state(
  used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  at timestamptz
) returns text language sql immutable return
  case
    when used_at is not null then 'used'
    when revoked_at is not null then 'ended'
    when expires_at <= at then 'expired'
    else 'current'
  end;

comment on function oauth_code_state is
  'State of an authorization code at a time: current, used, expired, or ended together with its grant.';

create function oauth_refresh_token_state(
  rotated_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  at timestamptz
) returns text language sql immutable return
  case
    when revoked_at is not null then 'ended'
    when rotated_at is not null then 'replaced'
    when expires_at <= at then 'expired'
    else 'current'
  end;

comment on function oauth_refresh_token_state is
  'State of a refresh token at a time: current, replaced, expired, or ended together with its grant.';

create function oauth_redeem(
  presented bytea,
  at timestamptz,
  refresh_hash bytea,
  refresh_expires timestamptz,
  access_hash bytea,
  access_expires timestamptz,
  access_resources text[],
  grant_expires timestamptz
) returns text language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
declare
  code record;
begin
  select g.id as grant_id, g.tier, g.subscription is null as keyless,
    oauth_code_state(c.used_at, c.expires_at, g.revoked_at, at) as state
  into code
  from oauth_code c join oauth_grant g on g.id = c.grant_id
  where c.hash = presented for update of c;
  if not found then
    return 'unknown';
  elsif code.state <> 'current' then
    return code.state;
  end if;
  update oauth_code set used_at = at where hash = presented;
  insert into oauth_refresh_token (hash, grant_id, expires_at, keyless)
  values (refresh_hash, code.grant_id, refresh_expires, code.keyless);
  insert into oauth_access_token (hash, grant_id, expires_at, tier, resources)
  values (access_hash, code.grant_id, access_expires, code.tier, access_resources);
  update oauth_grant set renewed_at = at, expires_at = grant_expires where id = code.grant_id;
  return 'redeemed';
end $$;

comment on function oauth_redeem is
  'Exchanges an authorization code for tokens. Outcomes: redeemed, used, expired, ended, unknown.';

create function oauth_rotate(
  presented bytea,
  at timestamptz,
  grace_start timestamptz,
  refresh_hash bytea,
  refresh_expires timestamptz,
  access_hash bytea,
  access_expires timestamptz,
  access_tier text,
  access_scope text,
  access_resources text[],
  renew_before timestamptz,
  grant_expires timestamptz,
  out outcome text,
  out issued_scope text,
  out issued_expires timestamptz
) language plpgsql
set plan_cache_mode to force_generic_plan set enable_seqscan to off set enable_hashjoin to off set enable_mergejoin to off
as $$
declare
  token record;
  successor record;
begin
  select g.id as grant_id, r.rotated_at, g.subscription is null as keyless,
    g.tier is distinct from access_tier or g.renewed_at < renew_before as renewal_due,
    oauth_refresh_token_state(r.rotated_at, r.expires_at, g.revoked_at, at) as state
  into token
  from oauth_refresh_token r join oauth_grant g on g.id = r.grant_id
  where r.hash = presented for update of r;
  outcome := coalesce(token.state, 'unknown');
  if outcome = 'current' then
    update oauth_refresh_token set rotated_at = at where hash = presented;
    insert into oauth_refresh_token (hash, grant_id, expires_at, keyless)
    values (refresh_hash, token.grant_id, refresh_expires, token.keyless);
    insert into oauth_access_token (hash, grant_id, expires_at, tier, scope, resources)
    values (access_hash, token.grant_id, access_expires, access_tier, access_scope, access_resources);
    if token.renewal_due then
      update oauth_grant set tier = access_tier, renewed_at = at, expires_at = grant_expires where id = token.grant_id;
    end if;
    outcome := 'rotated';
    issued_scope := access_scope;
    issued_expires := access_expires;
  elsif outcome = 'replaced' then
    select r.rotated_at, a.scope, a.expires_at into successor
    from oauth_refresh_token r left join oauth_access_token a on a.hash = access_hash
    where r.hash = refresh_hash;
    if found and successor.rotated_at is null and token.rotated_at > grace_start then
      outcome := 'repeated';
      issued_scope := successor.scope;
      issued_expires := successor.expires_at;
    else
      outcome := 'reused';
    end if;
  end if;
end $$;

comment on function oauth_rotate is
  'Replaces a refresh token by the pair whose hashes are given, which are the same at each try. Outcomes: rotated; repeated, where it was replaced after grace_start and its successor is unused; reused, where it was replaced otherwise; expired, ended, unknown. Of the pair that was issued, now or before, it returns the scope (null: all of the grant) and the end of the access token (null: it was revoked).';
