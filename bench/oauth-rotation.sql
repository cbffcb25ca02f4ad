\set i :i + 1
\set n :client_id * 1000000 + :base + :i
with old as (
  update oauth_refresh_token r
  set rotated_at = now(), successor = decode(repeat('ab', 92), 'hex')
  where r.hash = sha256(int8send(:n::int8)) and r.rotated_at is null and r.expires_at > now()
    and exists (select from oauth_grant g where g.id = r.grant_id and g.revoked_at is null)
  returning r.grant_id
), refresh as (
  insert into oauth_refresh_token (hash, grant_id, expires_at)
  select sha256(int8send(-:n::int8)), grant_id, now() + interval '30 days' from old
), access as (
  insert into oauth_access_token (hash, grant_id, expires_at, tier)
  select sha256(int8send(:n::int8)), grant_id, now() + interval '1 hour', 'pro' from old
), renewed as (
  update oauth_grant g set tier = 'pro', renewed_at = now(), expires_at = now() + interval '31 days'
  from old where g.id = old.grant_id and (g.tier <> 'pro' or g.renewed_at < now() - interval '1 day')
)
select grant_id from old;
