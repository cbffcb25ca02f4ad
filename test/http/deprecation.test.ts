// Proof that a route which will go announces it: in its headers, in the OpenAPI document, and with dates that make sense.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deprecation } from '../../src/http/frame/deprecation.ts';
import { Problem } from '../../src/lib/problem.ts';
import { serveRoutes, testRoute } from '../support/service/http-server.ts';

const DEPRECATED: Deprecation = {
  since: '2027-03-01',
  sunset: '2027-09-01',
  link: '/docs/versioning#changes-to-come',
};
const PAGE = 'https://api.example/docs/versioning#changes-to-come';
const ANNOUNCED = {
  deprecation: '@1803859200',
  sunset: 'Wed, 01 Sep 2027 00:00:00 GMT',
  link: `<${PAGE}>; rel="deprecation"; type="text/html", <${PAGE}>; rel="sunset"; type="text/html"`,
};

function announcedBy({ headers }: Response): Record<string, string | null> {
  return Object.fromEntries(Object.keys(ANNOUNCED).map((name) => [name, headers.get(name)]));
}

test('every response of a deprecated route says since when, until when, and where to read on', async (t) => {
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/old', deprecated: DEPRECATED }),
    testRoute({ path: '/v1/new' }),
    testRoute({
      path: '/v1/broken',
      deprecated: DEPRECATED,
      handle: () => {
        throw new Problem('NOT_FOUND', 'It is not here.');
      },
    }),
  ]);
  assert.deepEqual(announcedBy(await web.fetch('/v1/old')), ANNOUNCED);
  assert.deepEqual(announcedBy(await web.fetch('/v1/old', { method: 'HEAD' })), ANNOUNCED);
  assert.deepEqual(announcedBy(await web.fetch('/v1/broken')), ANNOUNCED);
  const present = announcedBy(await web.fetch('/v1/new'));
  assert.deepEqual(Object.values(present), [null, null, null]);
});

test('pages of other origins may read the dates, and a link of the reply stays beside those of the route', async (t) => {
  const next = '</v1/old?page=2>; rel="next"';
  const handle = () => ({ json: {}, headers: { link: next } });
  const web = await serveRoutes(t, [testRoute({ path: '/v1/old', deprecated: DEPRECATED, handle })]);
  const { headers } = await web.fetch('/v1/old');
  assert.equal(headers.get('link'), `${ANNOUNCED.link}, ${next}`);
  for (const name of ['Deprecation', 'Sunset', 'Link'])
    assert.ok(headers.get('access-control-expose-headers')?.split(', ').includes(name), name);
});

test('the OpenAPI document marks the operation, with its dates, page and headers, and no other', async (t) => {
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/old', operation: 'getOld', deprecated: DEPRECATED }),
    testRoute({ path: '/v1/new', operation: 'getNew' }),
  ]);
  const { paths, components } = (await (await web.fetch('/openapi.json')).json()) as {
    paths: Record<string, { get: Record<string, unknown> }>;
    components: { headers: Record<string, unknown> };
  };
  const [old, fresh] = [paths['/v1/old']?.get, paths['/v1/new']?.get];
  assert.equal(old?.deprecated, true);
  assert.match(
    String(old?.description),
    /since 2027-03-01, and may be gone from 2027-09-01 on: see https:\/\/api\.example\/docs/,
  );
  const responses = old?.responses as Record<string, { headers: object }> | undefined;
  const headers = responses?.['200']?.headers;
  assert.ok(['Deprecation', 'Sunset', 'Link'].every((name) => Object.hasOwn(headers ?? {}, name)));
  assert.ok(['Deprecation', 'Sunset', 'Link'].every((name) => Object.hasOwn(components.headers, name)));
  assert.equal(fresh?.deprecated, undefined);
  assert.doesNotMatch(JSON.stringify(fresh), /Sunset/);
});

for (const [fault, dates, message] of [
  [
    'goes before it is deprecated',
    { since: '2027-09-01', sunset: '2027-03-01' },
    /goes on 2027-03-01, before/,
  ],
  ['is deprecated on a day that does not exist', { since: '2027-02-30', sunset: '2027-09-01' }, /2027-02-30/],
  ['goes on no day at all', { since: '2027-03-01', sunset: 'soon' }, /soon/],
  ['links nowhere', { since: '2027-03-01', sunset: '2027-09-01', link: 'the manual' }, /the manual/],
] as const)
  test(`a service with a route that ${fault} does not start`, async (t) => {
    const deprecated = { ...DEPRECATED, ...dates };
    await assert.rejects(() => serveRoutes(t, [testRoute({ path: '/v1/old', deprecated })]), message);
  });

test('a route may go on the very day on which it is deprecated', async (t) => {
  const deprecated = { ...DEPRECATED, sunset: DEPRECATED.since };
  const web = await serveRoutes(t, [testRoute({ path: '/v1/old', deprecated })]);
  assert.equal((await web.fetch('/v1/old')).status, 200);
});
