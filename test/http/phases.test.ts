// Proof that every request passes the same phases in the same order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Problem } from '../../src/lib/problem.ts';
import { problemOf, serveRoutes, testRoute } from '../support/service/http-server.ts';

const LIMIT_HEADERS = { ratelimit: '"minute";r=9;t=6', 'x-ratelimit-limit': '10' };
const tierRefused = () => new Problem('TIER_RESTRICTED', 'Pro is needed.');
const limitReached = () => {
  throw new Problem('RATE_LIMITED', 'Too many.', {
    headers: { 'Retry-After': '18', RateLimit: '"minute";r=0' },
  });
};

test('phases run in the order identify, allow, early, limit, validate, handle', async (t) => {
  const order: string[] = [];
  const web = await serveRoutes(
    t,
    [
      testRoute({
        path: '/v1/a',
        early: () => {
          order.push('early');
          return null;
        },
        handle: () => {
          order.push('handle');
          return { json: {} };
        },
      }),
    ],
    {
      phasesReplaced: {
        identify: async () => {
          order.push('identify');
          return 'me';
        },
        allow: () => {
          order.push('allow');
          return null;
        },
        limit: async () => {
          order.push('limit');
          return LIMIT_HEADERS;
        },
      },
    },
  );
  assert.equal((await web.fetch('/v1/a')).status, 200);
  assert.deepEqual(order, ['identify', 'allow', 'early', 'limit', 'handle']);
  assert.equal((await web.fetch('/v1/a?x=1')).status, 400);
  assert.deepEqual(order.slice(5), ['identify', 'allow', 'early', 'limit']);
});

test('an answer carries the limit headers, the caller headers and the request id', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })]);
  const response = await web.fetch('/v1/a');
  assert.equal(response.headers.get('ratelimit'), '"minute";r=9;t=6');
  assert.equal(response.headers.get('vary'), 'Authorization');
  assert.match(response.headers.get('x-request-id') ?? '', /^req_[\w-]{16}$/);
});

test('request ids differ, and a client cannot choose its own', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })]);
  const ids = new Set<string | null>();
  for (let count = 0; count < 5; count += 1) {
    const response = await web.fetch('/v1/a', {
      headers: { 'X-Request-Id': 'req_mine', 'request-id': 'req_mine' },
    });
    ids.add(response.headers.get('x-request-id'));
  }
  assert.equal(ids.size, 5);
  assert.ok(!ids.has('req_mine'));
});

test('errors after the count carry the limit headers too', async (t) => {
  const boom = () => {
    throw new Error('unexpected');
  };
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/a', handle: boom }),
    testRoute({ path: '/v1/b', method: 'POST', body: Type.Object({ n: Type.Integer() }) }),
  ]);
  const post = (body: string, type = 'application/json') =>
    web.fetch('/v1/b', { method: 'POST', body, headers: { 'content-type': type } });
  const responses = [
    [500, await web.fetch('/v1/a')],
    [400, await web.fetch('/v1/a?wrong=1')],
    [406, await web.fetch('/v1/a', { headers: { accept: 'text/csv' } })],
    [400, await post('{"n":"1"}')],
    [400, await post('{')],
    [415, await post('n=1', 'text/plain')],
    [413, await post(`{"n":"${'1'.repeat(1_100_000)}"}`)],
  ] as const;
  for (const [status, response] of responses) {
    assert.equal(response.status, status);
    assert.equal(response.headers.get('ratelimit'), '"minute";r=9;t=6', `status ${status}`);
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  }
});

test('a 403 is charged and carries the limit headers', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced: { allow: tierRefused },
  });
  const response = await web.fetch('/v1/a');
  assert.equal(response.status, 403);
  assert.deepEqual(web.steps, ['identify', 'allow', 'limit']);
  assert.equal(response.headers.get('ratelimit'), '"minute";r=9;t=6');
  assert.equal(response.headers.get('www-authenticate'), null);
});

test('a limit that is reached outranks a 403', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced: { allow: tierRefused, limit: limitReached },
  });
  const response = await web.fetch('/v1/a');
  assert.equal(response.status, 429);
  assert.equal(response.headers.get('retry-after'), '18');
  assert.equal(response.headers.get('ratelimit'), '"minute";r=0');
});

test('an early answer is given before the count, and not to whom allow refuses', async (t) => {
  const routes = [testRoute({ path: '/v1/a', early: () => ({ status: 204 }) })];
  const open = await serveRoutes(t, routes);
  const response = await open.fetch('/v1/a');
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('ratelimit'), null);
  assert.equal(response.headers.get('content-length'), null);
  assert.deepEqual(open.steps, ['identify', 'allow']);
  const closed = await serveRoutes(t, routes, { phasesReplaced: { allow: tierRefused } });
  assert.equal((await closed.fetch('/v1/a')).status, 403);
});

test('a route that counts nothing is not counted', async (t) => {
  const web = await serveRoutes(t, [
    testRoute({ path: '/docs', access: { credentials: 'none', counts: 'nothing' } }),
  ]);
  assert.equal((await web.fetch('/docs')).status, 200);
  assert.deepEqual(web.steps, ['identify', 'allow']);
});

test('a refusal to identify is answered at once, uncounted', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced: {
      identify: () => Promise.reject(new Problem('MISSING_API_KEY', 'Send a key.')),
    },
  });
  assert.equal((await web.fetch('/v1/a')).status, 401);
  assert.deepEqual(web.steps, ['identify']);
});

const challenges = [
  ['without credentials', undefined, 'MISSING_API_KEY', ', scope="listings:read"'],
  ['with an empty header', '', 'MISSING_API_KEY', ', scope="listings:read"'],
  ['with another scheme', 'Basic abc', 'INVALID_TOKEN', ', scope="listings:read"'],
  [
    'with a wrong key',
    'Bearer SERVICE-1',
    'INVALID_API_KEY',
    ', scope="listings:read", error="invalid_token", error_description="No, \'it\' is not."',
  ],
  [
    'with a wrong token',
    'bearer abc',
    'EXPIRED_TOKEN',
    ', scope="listings:read", error="invalid_token", error_description="No, \'it\' is not."',
  ],
] as const;

for (const [how, authorization, code, expected] of challenges) {
  test(`a 401 ${how} tells where credentials come from, and names an error only where one was sent`, async (t) => {
    const access = { credentials: 'required', counts: 'month', scope: 'listings:read' } as const;
    const web = await serveRoutes(t, [testRoute({ path: '/v1/a', access })], {
      phasesReplaced: { identify: () => Promise.reject(new Problem(code, 'No, "it" is not.')) },
    });
    const response = await web.fetch(
      '/v1/a',
      authorization === undefined ? {} : { headers: { authorization } },
    );
    assert.equal(response.status, 401);
    assert.equal(
      response.headers.get('www-authenticate'),
      `Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource"${expected}`,
    );
  });
}

test('a problem can bring its own challenge', async (t) => {
  const headers = { 'WWW-Authenticate': 'Bearer realm="own"' };
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced: { identify: () => Promise.reject(new Problem('INVALID_TOKEN', 'No.', { headers })) },
  });
  assert.equal((await web.fetch('/v1/a')).headers.get('www-authenticate'), 'Bearer realm="own"');
});

test('the challenge names a missing scope', async (t) => {
  const access = { credentials: 'required', counts: 'month', scope: 'listings:live' } as const;
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a', access })], {
    phasesReplaced: {
      allow: () => new Problem('INSUFFICIENT_SCOPE', 'Ask for more.'),
    },
  });
  const response = await web.fetch('/v1/a', { headers: { authorization: 'Bearer abc' } });
  assert.equal(response.status, 403);
  assert.match(
    response.headers.get('www-authenticate') ?? '',
    /scope="listings:live", error="insufficient_scope"/,
  );
});

test('an unexpected error tells the client nothing and the log everything, under one request id', async (t) => {
  const handle = () => {
    throw new Error('password of the database: hunter2');
  };
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a', handle })]);
  const response = await web.fetch('/v1/a');
  const text = await response.text();
  assert.equal(response.status, 500);
  assert.ok(!text.includes('hunter2'));
  assert.equal(JSON.parse(text).code, 'INTERNAL_ERROR');
  const requestId: string = JSON.parse(text).requestId;
  assert.equal(response.headers.get('x-request-id'), requestId);
  const line =
    web
      .log()
      .split('\n')
      .find((entry) => entry.includes(requestId)) ?? '';
  assert.match(line, /hunter2/);
  assert.match(line, /"level":"error"/);
});

test('a log line tells route, status, caller and parameter names, but no value of a query', async (t) => {
  const query = Type.Object({ city: Type.Optional(Type.String()) });
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a', query })]);
  await (
    await web.fetch('/v1/a?city=Boston', { headers: { authorization: 'Bearer SERVICE-0000-1111' } })
  ).text();
  const line = JSON.parse(web.log().trim());
  assert.equal(line.route, '/v1/a');
  assert.equal(line.url, '/v1/a?city');
  assert.equal(line.status, 200);
  assert.equal(line.account, 'caller');
  assert.ok(!web.log().includes('Boston') && !web.log().includes('SERVICE-'));
});

test('the problem document has the documented members', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/a' })]);
  const response = await web.fetch('/v1/a?lmit=1');
  const body = await problemOf(response);
  assert.deepEqual(body, {
    type: 'https://api.example/docs/errors#INVALID_PARAMETER',
    title: 'Invalid parameter',
    status: 400,
    detail: 'The parameter lmit is not valid: this endpoint takes no query parameters.',
    code: 'INVALID_PARAMETER',
    requestId: response.headers.get('x-request-id'),
    errors: [{ parameter: 'lmit', detail: 'this endpoint takes no query parameters' }],
  });
});

test('the client address is the socket unless a trusted proxy vouches for another', async (t) => {
  const seen: string[] = [];
  const phasesReplaced = {
    identify: async ({ address }: { address: string }) => {
      seen.push(address);
      return 'me';
    },
  };
  const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
  const plain = await serveRoutes(t, [testRoute({ path: '/v1/a' })], { phasesReplaced });
  await plain.fetch('/v1/a', { headers });
  const proxied = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced,
    trustedProxies: ['127.0.0.0/8'],
  });
  await proxied.fetch('/v1/a', { headers });
  assert.deepEqual(seen, ['127.0.0.1', '203.0.113.9']);
});

test('an answer that cannot be written is a 500, and headers that cannot be are a cut connection, never a hang', async (t) => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/circular', handle: () => ({ json: circular }) }),
    testRoute({ path: '/v1/header', handle: () => ({ json: {}, headers: { link: 'a\nb' } }) }),
  ]);
  assert.equal((await web.fetch('/v1/circular')).status, 500);
  assert.equal((await web.fetch('/v1/header')).status, 500);
  const broken = await serveRoutes(t, [testRoute({ path: '/v1/a' })], {
    phasesReplaced: { limit: async () => ({ RateLimit: 'a\nb' }) },
  });
  await assert.rejects(broken.fetch('/v1/a'));
  assert.equal(await broken.measure('freehold_http_active'), 0);
});
