\set i :i + 1
\set n :client_id * 1000000 + :base + :i
select oauth_rotate(
  sha256(int8send(:n::int8)), now(), decode(repeat('ab', 32), 'hex'),
  sha256(int8send(-:n::int8)), now() + interval '30 days',
  sha256(int8send(:n::int8)), now() + interval '1 hour',
  'pro', null, null, now() - interval '1 day', now() + interval '31 days');
