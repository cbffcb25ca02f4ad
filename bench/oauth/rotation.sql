\set i :i + 1
\set n :client_id * 1000000 + :base + :i
select outcome from oauth_rotate(
  presented => sha256(int8send(:n::int8)), at => now(), grace_start => now() - interval '30 seconds',
  refresh_hash => sha256(int8send(-:n::int8)), refresh_expires => now() + interval '30 days',
  access_hash => sha256(int8send(:n::int8)), access_expires => now() + interval '1 hour',
  access_tier => 'pro', access_scope => null, access_resources => null,
  renew_before => now() - interval '1 day', grant_expires => now() + interval '31 days');
