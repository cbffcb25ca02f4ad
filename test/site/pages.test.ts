// Promises about the pages: that they say what is true, belong together, and are safe to open.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { type Principal, TIERS } from '../../src/access/tiers/tiers.ts';
import { UNRECORDED } from '../../src/http/frame/call-usage.ts';
import type { Route } from '../../src/http/frame/route.ts';
import { PROBLEMS } from '../../src/lib/problem.ts';
import { LIFETIMES } from '../../src/oauth/protocol/tokens.ts';
import { databaseUnavailable } from '../../src/postgres/client/connection-errors.ts';
import { METRICS, MINIMUM_SAMPLE } from '../../src/search/summaries/metrics.ts';
import { DOCUMENT_NAMES, fillDocument } from '../../src/site/documents.ts';
import type { FrontHome } from '../../src/site/front/home-cards.ts';
import type { FirstLoad } from '../../src/site/layout.ts';
import { renderMarkdown } from '../../src/site/markdown.ts';
import { notFoundPage } from '../../src/site/not-found-page.ts';
import { type ReferenceOptions, referenceHandler } from '../../src/site/reference.ts';
import { type SiteOptions, siteRoutes } from '../../src/site/routes.ts';
import type { LiveFailure } from '../../src/sources/source.ts';
import { textOf } from '../support/browser/page-text.ts';
import type { Closing } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { serveRoutes, testRoute } from '../support/service/http-server.ts';

const PAGES = [
  '/',
  '/docs',
  '/docs/reference',
  '/docs/metrics',
  '/docs/errors',
  ...DOCUMENT_NAMES.map((name) => `/docs/${name}`),
];

/** All codes of the stream's error event: the type checker sees to it that none is missing. */
const STREAM_CODES: Readonly<Record<LiveFailure, true>> = {
  fetch_failed: true,
  timeout: true,
  parse_failed: true,
  upstream_rate_limited: true,
  upstream_unauthorized: true,
  upstream_unavailable: true,
  not_found_upstream: true,
  live_unsupported: true,
};

/** Told of on the page, never served here. */
const FEATURES = [
  testRoute({ path: '/v1/open', summary: 'Open <to> all' }),
  testRoute({ path: '/v1/streams/:id', access: { credentials: 'required', tier: 'pro', counts: 'month' } }),
  testRoute({ path: '/v1/mine', access: { credentials: 'required', counts: 'minute' } }),
];

const DOCUMENT = {
  tags: [{ name: 'Homes', description: 'All <homes>.' }],
  paths: {
    '/v1/homes/{id}': {
      get: {
        operationId: 'getHome',
        tags: ['Homes'],
        summary: 'Get a home',
        parameters: [
          { name: 'id', required: true, example: 'home_1' },
          { name: 'limit', example: 3 },
          { name: 'zoom', example: 11 },
        ],
      },
    },
  },
};

function reference(replaced: Partial<ReferenceOptions> = {}): ReferenceOptions {
  return {
    clock: manualClock(),
    document: () => DOCUMENT,
    samples: { getHome: { limit: 3 } },
    placeholders: { home: 'home_1' },
    findIds: async () => null,
    ...replaced,
  };
}

const HOME: FrontHome = {
  id: 'lst_1',
  source: 'sample',
  listingType: 'sale',
  price: 759_900,
  currency: 'USD',
  priceFrequency: 'ONE_TIME',
  bedrooms: 3,
  bathrooms: 2.5,
  livingArea: 1_840,
  address: '12 <Elm> Street',
  street: '12 <Elm> Street',
  place: 'Elmton',
  listedAt: null,
  attribution: 'Elm Homes',
  picture: 'favicon.svg',
};

const MARKET = { sales: 12_345, rentals: 678, areas: 90, confirmedAt: '2026-03-31T12:00:00.000Z' };

function serveSite(
  t: Closing,
  tiers = TIERS,
  loading: FirstLoad | null = null,
  findMarketSize = async () => MARKET,
  findHomes: SiteOptions['findHomes'] = async () => [HOME],
) {
  const site: readonly Route<never>[] = siteRoutes({
    publicUrl: 'https://api.example',
    tiers,
    lifetimes: LIFETIMES,
    metrics: METRICS,
    minimumSample: MINIMUM_SAMPLE,
    findLoading: async () => loading,
    routes: () => [...FEATURES, ...site] as unknown as readonly Route<Principal>[],
    reference: reference(),
    findMarketSize,
    findHomes,
  });
  const describe = {
    title: 'Test',
    version: '1',
    tags: { Service: 'Itself.', Health: 'Health.', Test: 'Test.' },
  };
  // The pages never look at who calls.
  const elsewhere = ['/oauth/grants', '/account/watchers', '/account', '/billing'].map((path) =>
    testRoute({ path }),
  );
  return serveRoutes(t, [...(site as unknown as readonly Route<string>[]), ...elsewhere], {
    describe,
    notFoundPage: notFoundPage('https://api.example'),
  });
}

test('every page shows how far the first load of a source is, and is kept by nobody meanwhile', async (t) => {
  const web = await serveSite(t, TIERS, { source: 'sample', records: 1_200, total: 20_000 });
  for (const path of PAGES) {
    const answer = await web.fetch(path);
    assert.match(
      await answer.text(),
      /role="status">The source <strong>sample<\/strong>[^<]*1,200 of 20,000/,
      path,
    );
    assert.equal(answer.headers.get('cache-control'), 'no-store', path);
    assert.equal(answer.headers.get('etag'), null, path);
  }
  const done = await serveSite(t);
  for (const path of PAGES) assert.doesNotMatch(await (await done.fetch(path)).text(), /role="status"/, path);
});

const idsOf = (page: string) =>
  [...page.matchAll(/<article class="entry" id="([^"]+)"/g)].map(([, id]) => id);

test('the home page says how large the market is and how fresh, and shows a first request', async (t) => {
  const web = await serveSite(t);
  const page = await (await web.fetch('/')).text();
  for (const text of ['12,345', '678', '90', '31 March 2026', 'https://api.example/v1/search/sales?'])
    assert.ok(page.includes(text), text);
  assert.doesNotMatch(page, /(?:src|href)="https?:/);
});

test('the home page shows homes with their picture, price and facts, each as people write it', async (t) => {
  const homes = [
    HOME,
    { ...HOME, listingType: 'rental' as const, price: 2_000, priceFrequency: 'MONTHLY', bedrooms: 0 },
    { ...HOME, picture: 'https://pictures.example/a.jpg', bathrooms: null, livingArea: null, bedrooms: 1 },
  ];
  const web = await serveSite(t, TIERS, null, undefined, async () => homes);
  const answer = await web.fetch('/');
  const page = await answer.text();
  assert.match(
    textOf(page),
    /For sale \$759,900 3 bd · 2\.5 ba · 1,840 sqft 12 <Elm> Street Elmton Elm Homes/,
  );
  assert.match(textOf(page), /To rent \$2,000 a month Studio/);
  assert.match(textOf(page), /\$759,900 1 bd 12 <Elm>/);
  const pictures = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => src);
  assert.deepEqual(pictures, ['favicon.svg', 'favicon.svg', 'https://pictures.example/a.jpg']);
  assert.match(
    answer.headers.get('content-security-policy') ?? '',
    /img-src data: 'self' https:\/\/pictures\.example;/,
  );
});

test('no home is shown while a source is loaded for the first time, nor where the store cannot be read or is empty', async (t) => {
  const loading = { source: 'sample', records: 1, total: 2 };
  const away = async () => {
    throw databaseUnavailable(new Error('The database is away.'));
  };
  const sites = [
    await serveSite(t, TIERS, loading),
    await serveSite(t, TIERS, null, away),
    await serveSite(t, TIERS, null, undefined, away),
    await serveSite(t, TIERS, null, undefined, async () => []),
  ];
  for (const web of sites)
    for (const path of ['/', '/docs']) {
      const answer = await web.fetch(path);
      assert.equal(answer.status, 200);
      const page = await answer.text();
      if (path === '/docs' && web === sites[1]) continue;
      assert.doesNotMatch(page, /<img|759,900/);
    }
  const whole = await serveSite(t);
  for (const path of ['/', '/docs']) assert.match(await (await whole.fetch(path)).text(), /<img[^>]*>/);
});

test('the reference begins with a home of this store and its request, then lists every endpoint by subject', async (t) => {
  const text = textOf(await (await (await serveSite(t)).fetch('/docs')).text());
  assert.match(
    text,
    /Reference .* A home, and the request for it .*\$759,900 .* curl 'https:\/\/api\.example\/v1\/property\/lst_1' .*"price": 759900.* Homes All <homes>\. .*GET \/v1\/homes\/\{id\} Get a home/,
  );
});

test('while the database does not answer, the home page says so, and all that it leads to still opens', async (t) => {
  const web = await serveSite(t, TIERS, null, async () => {
    throw databaseUnavailable(new Error('The database is away.'));
  });
  const answer = await web.fetch('/');
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /Not ready:/);
  // It is loaded again by itself, and nobody keeps it until then.
  assert.deepEqual(
    ['refresh', 'cache-control'].map((name) => answer.headers.get(name)),
    ['3', 'no-store'],
  );
});

test('where nothing is, a browser is shown a page and a program the problem document', async (t) => {
  const web = await serveSite(t);
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  for (const path of ['/nothing', '/docs/nothing/deep', '/v1/serch/sales']) {
    const page = await web.fetch(path, { headers: browser });
    assert.equal(page.status, 404);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const text = await page.text();
    assert.ok(text.includes(page.headers.get('x-request-id') ?? 'none'));
    assert.match(text, /href="\/docs"/);
    assert.equal(page.headers.get('vary'), 'accept');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const problem = await web.fetch(path, { headers: { accept } });
      assert.equal(((await problem.json()) as { code: string }).code, 'NOT_FOUND');
    }
  }
  const posted = await web.fetch('/nothing', { method: 'POST', headers: browser });
  assert.match(posted.headers.get('content-type') ?? '', /problem\+json/);
});

test('the links of the page for a missing address keep the path that the service lies below', () => {
  const { text = '' } = notFoundPage('https://host.example/homes')({ detail: '<b>', requestId: 'req_1' });
  assert.match(text, /href="\/homes\/docs"/);
  assert.match(text, /href="\/homes\/"/);
  assert.ok(!text.includes('<b>'));
});

test('browsers find the mark where they look for it, language models their text, and readers the OpenAPI document as YAML', async (t) => {
  const web = await serveSite(t);
  const mark = await web.fetch('/favicon.ico');
  assert.match(mark.url, /\/favicon\.svg$/);
  assert.match(mark.headers.get('content-type') ?? '', /^image\/svg\+xml/);
  const text = await (await web.fetch('/llms.txt')).text();
  assert.match(text, /^# Freehold\n\n> /);
  const served = [...text.matchAll(/\]\(https:\/\/api\.example([^)]+)\)/g)].map(([, path = '']) => path);
  assert.ok(served.length > 5);
  for (const path of served) assert.equal((await web.fetch(path)).status, 200, path);
  const yaml = await web.fetch('/openapi.yaml');
  assert.match(yaml.headers.get('content-type') ?? '', /^application\/yaml/);
  assert.deepEqual(parse(await yaml.text()), await (await web.fetch('/openapi.json')).json());
  assert.match((await web.fetch('/docs/')).url, /\/docs$/);
});

test('the home page and all that browsers and programs look for beside it are charged to nobody', async (t) => {
  const web = await serveSite(t);
  for (const path of ['/', '/favicon.svg', '/favicon.ico', '/llms.txt', '/openapi.yaml', '/docs/']) {
    const answer = await web.fetch(path, { redirect: 'manual' });
    assert.ok([200, 308].includes(answer.status), path);
    assert.equal(answer.headers.get('ratelimit'), null, path);
  }
});

test('the reference shows of each operation a request with parameters that go together, and ids of the store', async () => {
  const clock = manualClock();
  const away = databaseUnavailable(new Error('The database is away.'));
  const found: (string | Error)[] = ['home_7', 'home_8', away];
  const findIds = async () => {
    const next = found.shift();
    if (next instanceof Error) throw next;
    return { home: next ?? null };
  };
  const handle = referenceHandler(reference({ clock, findIds }));
  const shown = async () => {
    const { text = '' } = await handle({ headers: {}, usage: UNRECORDED });
    const [id, limit, zoom] = JSON.parse(text).paths['/v1/homes/{id}'].get.parameters;
    assert.deepEqual(limit.examples, { sample: { value: 3, 'x-disabled': false } });
    assert.deepEqual(zoom.examples, { sample: { value: 11, 'x-disabled': true } });
    return id.examples.sample.value;
  };
  assert.equal(await shown(), 'home_7');
  assert.equal(await shown(), 'home_7', 'the store is asked once a minute');
  await clock.advance(60_000);
  assert.equal(await shown(), 'home_8');
  await clock.advance(60_000);
  assert.equal(await shown(), 'home_1', 'without a store the examples are those of the document');
});

test('every error code has its entry, and every entry its code', async (t) => {
  const page = await (await (await serveSite(t)).fetch('/docs/errors')).text();
  assert.deepEqual(
    idsOf(page).toSorted(),
    [...Object.keys(PROBLEMS), ...Object.keys(STREAM_CODES)].toSorted(),
  );
  for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
    assert.ok(page.includes(`<a href="#${code}">${code}</a><span>${status} ${title}</span>`), code);
  }
});

test('each entry shows a problem document as the service sends it', async (t) => {
  const page = await (await (await serveSite(t)).fetch('/docs/errors')).text();
  const examples = [...page.matchAll(/<code>(\{[^<]+\})<\/code>/g)].map(([, text = '']) =>
    JSON.parse(
      text
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&'),
    ),
  );
  assert.equal(new Set(examples.map(({ code }) => code)).size, Object.keys(PROBLEMS).length);
  for (const { code, status, title, type } of examples) {
    assert.deepEqual([status, title], PROBLEMS[code as keyof typeof PROBLEMS]);
    assert.equal(type, `https://api.example/docs/errors#${code}`);
  }
});

test('the limits page shows the numbers in force, not those of the code', async (t) => {
  const web = await serveSite(t, {
    ...TIERS,
    free: { ...TIERS.free, minute: 61_234, feeds: 7, refresh: 90_000 },
  });
  const page = await (await web.fetch('/docs/limits')).text();
  assert.match(page, /Free<\/th>\s*<td>61,234<\/td><td>1,000<\/td><td>25<\/td>/);
  assert.match(page, /Internal<\/th>\s*<td>unlimited<\/td>/);
  assert.match(
    page,
    /Free<\/th>\s*<td>1<\/td><td>daily<\/td>\s*<td>7<\/td><td>90 seconds<\/td><td>100<\/td>/,
  );
  assert.match(
    page,
    /Business<\/th>\s*<td>1,000<\/td><td>instant<\/td>\s*<td>100<\/td><td>1 hour<\/td><td>10,000<\/td>/,
  );
});

test('the limits page tells of every route who may call it', async (t) => {
  const page = await (await (await serveSite(t)).fetch('/docs/limits')).text();
  const row = (path: string) =>
    new RegExp(
      `<code>GET ${path}</code></th>\\s*<td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>`,
    ).exec(page);
  assert.deepEqual(row('/v1/open')?.slice(1), ['Open &lt;to&gt; all', 'Everybody', 'minute, month']);
  assert.deepEqual(row('/v1/streams/{id}')?.slice(2), ['Pro and above', 'minute, month']);
  assert.deepEqual(row('/v1/mine')?.slice(2), ['Any tier', 'minute']);
  for (const path of PAGES) assert.ok(page.includes(`<code>GET ${path}</code>`), path);
});

test('the page about agents says how to connect to this service', async (t) => {
  const page = textOf(await (await (await serveSite(t)).fetch('/docs/agents')).text());
  for (const text of [
    'claude mcp add --transport http freehold https://api.example/mcp',
    '"type": "http", "url": "https://api.example/mcp"',
    '"mcp-remote", "https://api.example/mcp"',
  ])
    assert.ok(page.includes(text), text);
  assert.doesNotMatch(page, /127\.0\.0\.1:8080/);
});

test('every document is served as Markdown too, with the values of its page', async (t) => {
  const web = await serveSite(t);
  for (const name of DOCUMENT_NAMES) {
    const answer = await web.fetch(`/docs/${name}.md`);
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8');
    const text = await answer.text();
    assert.match(text, /^# \S/, name);
    assert.doesNotMatch(text, /\{\{|http:\/\/127\.0\.0\.1:8080/, name);
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      assert.equal((await web.fetch(`/docs/${target}`)).status, 200, `${name}: ${target}`);
  }
  const { tiers, limits } = {
    tiers: await (await web.fetch('/docs/limits.md')).text(),
    limits: textOf(await (await web.fetch('/docs/limits')).text()),
  };
  assert.match(tiers, /^\| Pro \| 300 \| 50,000 \| 100 \| 10 \| no \|$/m);
  assert.match(limits, /Pro 300 50,000 100 10 no/);
});

test('what operators read beside the source is not served', async (t) => {
  const web = await serveSite(t);
  for (const name of ['operations', 'performance', 'reliability', 'decisions/0001-no-build-step'])
    for (const path of [`/docs/${name}`, `/docs/${name}.md`])
      assert.equal((await web.fetch(path)).status, 404, path);
});

test('a document passes on no HTML of its own, no address of another scheme and no link to what is not served', async () => {
  const text = fillDocument(
    `# Title

Lead with <b>marks</b> and [a link](mcp.md#tools).

<script>alert(1)</script>

## A & B: "c" \`d\`

## A & B: "c" \`d\`

## A & B: "c" \`d\`

[x](javascript:alert(1)) [x](JavaScript:alert(1)) [x](data:text/html,a) [y](operations.md#z) [z](http://127.0.0.1:8080/account) ![w](https://elsewhere.example/w.png)
`,
    'https://api.example',
    {},
  );
  const { title, summary, lead, content } = await renderMarkdown(text, 'https://api.example');
  assert.deepEqual([title, summary], ['Title', 'Lead with <b>marks</b> and a link.']);
  assert.match(lead.text, /&lt;b&gt;marks&lt;\/b&gt; and <a href="mcp#tools">a link<\/a>/);
  assert.doesNotMatch(content.text, /<script|<img|javascript/);
  assert.match(content.text, /&lt;script&gt;/);
  assert.match(content.text, /<h2 id="a--b-c-d">.*<h2 id="a--b-c-d-1">.*<h2 id="a--b-c-d-2">/s);
  assert.match(content.text, /<p>x x x y <a href="\.\.\/account">z<\/a> w<\/p>/);
  assert.throws(() => fillDocument('{{nothing}}', '', {}), /nothing/);
});

const shared = await serveSite({ after });
/** What each address answered, since most pages lead to the same. */
const answers = new Map<string, { readonly status: number; readonly text: string }>();

async function answerOf(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const known = answers.get(path);
  if (known !== undefined) return known;
  const response = await shared.fetch(path);
  const answer = { status: response.status, text: await response.text() };
  answers.set(path, answer);
  return answer;
}

for (const path of PAGES) {
  test(`${path} may run no script but its own, and be kept only as long as it is true`, async () => {
    const answer = await shared.fetch(path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|https?:/);
    const scripts = /<script|script-src/.test(policy + (await answer.text()));
    assert.ok(scripts);
    if (path !== '/docs/reference') assert.match(policy, /script-src 'sha256-[^' ]+'(?:;|$)/);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/);
    const again = await shared.fetch(path, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
  });

  test(`every link on ${path} leads to a page or an entry that is there`, async () => {
    const { text: page } = await answerOf(path);
    const links = [...page.matchAll(/<a [^>]*?href="([^"]+)"/gs)].map(
      ([, href = '']) => new URL(href, `https://api.example${path}`),
    );
    assert.ok(links.length > 4);
    for (const { origin, protocol, pathname, hash } of links) {
      if (origin !== 'https://api.example') {
        assert.equal(protocol, 'https:');
        continue;
      }
      // The explorer has routes of its own, which are not part of this site.
      if (pathname.startsWith('/explore/')) continue;
      const { status, text } = await answerOf(pathname);
      assert.equal(status, 200, pathname);
      if (hash !== '' && !hash.startsWith('#tag')) assert.ok(text.includes(`id="${hash.slice(1)}"`), hash);
    }
  });
}

test('the script of the reference is kept for long under its version only, and comes as gzip where that is read', async (t) => {
  const web = await serveSite(t);
  const [, src = ''] = /<script src="([^"]+)"/.exec(await (await web.fetch('/docs/reference')).text()) ?? [];
  const zipped = await web.fetch(`/docs/${src}`, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(zipped.headers.get('content-encoding'), 'gzip');
  assert.match(zipped.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
  const script = await zipped.text();
  assert.match(script, /createApiReference/);
  const plain = await web.fetch('/docs/reference.js?v=0', { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(plain.headers.get('cache-control'), 'no-cache');
  assert.equal(await plain.text(), script);
  const etag = plain.headers.get('etag') ?? '';
  assert.equal((await web.fetch(`/docs/${src}`, { headers: { 'if-none-match': etag } })).status, 304);
});

test('pages are no operations of the OpenAPI document', async (t) => {
  const { paths } = (await (await (await serveSite(t)).fetch('/openapi.json')).json()) as { paths: object };
  assert.deepEqual(
    Object.keys(paths).filter((path) => path === '/' || path.startsWith('/docs')),
    [],
  );
});
