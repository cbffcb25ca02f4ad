// Guarantees of the market page over HTTP: its figures are those of the API, and every link of it leads somewhere.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { until } from '../../support/check/until.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

const clock = manualClock(Date.UTC(2026, 10, 20, 12));
const service = await startService({ after }, { source: 'sample', clock });
const { keys, url } = service;

interface Figure {
  readonly value: number | null;
  readonly p25: number | null;
  readonly n: number;
  readonly change: { readonly yearAgo: number | null } | null;
}
interface Answer {
  readonly points: readonly { readonly start: string; readonly metrics: Record<string, Figure> }[];
  readonly areas: readonly {
    readonly areaId: string;
    readonly name: string;
    readonly metrics: Record<string, Figure>;
  }[];
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

const api = (path: string): Promise<Answer> => service.json(path, keys.internal);

async function open(query: string): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(`${url}/explore/market${query}`, { redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const decode = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** Rows of the table of figures below the chart with this caption, cell by cell. */
function figureRows(text: string, caption: RegExp): string[][] {
  const tables = text.split('<table ').slice(1);
  const table = tables.find((each) =>
    caption.test(decode(/<caption[^>]*>(.*?)<\/caption>/s.exec(each)?.[1] ?? '')),
  );
  const body = /<tbody>(.*?)<\/tbody>/s.exec(table ?? '')?.[1] ?? '';
  return body
    .split('<tr')
    .slice(1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => decode(cell).trim()),
    );
}

/** The links of a chart: where its API and its CSV are. */
function linksOf(text: string, table: string): { api: string; csv: string; definition: string } {
  const group = text.split('<span class="links">').find((each) => each.includes(`table=${table}"`)) ?? '';
  const [definition = '', csv = '', api = ''] = [...group.matchAll(/href="([^"]*)"/g)].map(([, link = '']) =>
    new URL(decode(link), `${url}/explore/market`).href.slice(url.length),
  );
  return { definition, csv, api };
}

const money = (value: number): string => `$${Math.round(value).toLocaleString('en-US')}`;

test('the median of each month, its sample and the newest figures are those of the request that the chart names', async () => {
  const { text, status } = await open('?areaId=city-port-calder&months=12');
  assert.equal(status, 200);
  const answer = await api(`${linksOf(text, 'price').api}&limit=100`);
  assert.equal(answer.points.length, 12);
  const shown = figureRows(text, /Asking price in Port Calder/).map((cells) => [cells[1], cells.at(-1)]);
  const expected = answer.points.map(({ metrics: { median_list_price: median } }) => [
    median?.value == null ? 'too few' : money(median.value),
    String(median?.n),
  ]);
  assert.deepEqual(shown, expected);
  const last = answer.points.at(-1)?.metrics.median_list_price;
  const head = decode(/<dl class="head-figures">(.*?)<\/dl>/s.exec(text)?.[1] ?? '');
  assert.ok(head.includes(money(last?.value ?? 0)), head);
  const percent = (Math.abs(last?.change?.yearAgo ?? 0) * 100).toFixed(1);
  assert.ok(head.includes(`${percent} %`), `${head} has no ${percent} %`);
});

test('new and sold, the small charts and the distribution are those of the requests that they name', async () => {
  const { text } = await open('?areaId=city-port-calder&months=12');
  const activity = await api(`${linksOf(text, 'activity').api}&limit=100`);
  assert.deepEqual(
    figureRows(text, /^New and sold/).map((cells) => cells.slice(1)),
    activity.points.map(({ metrics }) => [
      String(metrics.new_listings?.value),
      String(metrics.closed_listings?.value),
    ]),
  );
  const supply = await api(`${linksOf(text, 'supply').api}&limit=100`);
  assert.deepEqual(
    figureRows(text, /^Months of supply/).map((cells) => cells[1]),
    supply.points.map(({ metrics: { months_of_supply: figure } }) =>
      figure?.value == null ? 'too few' : figure.value.toFixed(1),
    ),
  );
  const distribution = await api(linksOf(text, 'distribution').api);
  const beyond = Number(/>(\d+) more above/.exec(text)?.[1] ?? 0);
  const drawn = figureRows(text, /^Homes by asking price/).reduce((sum, cells) => sum + Number(cells[1]), 0);
  assert.equal(
    drawn + beyond,
    distribution.buckets.reduce((sum, { count }) => sum + count, 0),
  );
});

test('CSV has the very values of the API, withheld ones empty', async () => {
  const { text } = await open('?areaId=city-port-calder&months=12&with=city-highmarch');
  for (const [table, metric] of [
    ['price', 'median_list_price'],
    ['days', 'median_days_on_market'],
  ] as const) {
    const { csv, api: request } = linksOf(text, table);
    const lines = (await (await fetch(url + csv)).text()).trim().split('\r\n');
    const head = lines[0]?.split(',') ?? [];
    const answer = await api(`${request}&limit=100`);
    const other = await api(`${request.replace('city-port-calder', 'city-highmarch')}&limit=100`);
    const column = (name: string) => lines.slice(1).map((line) => line.split(',')[head.indexOf(name)]);
    const values = ({ points }: Answer) => points.map(({ metrics }) => String(metrics[metric]?.value ?? ''));
    assert.deepEqual(column(metric), values(answer));
    assert.deepEqual(column(`${metric} city-highmarch`), values(other));
  }
  const { csv, api: request } = linksOf(text, 'areas');
  const answer = await api(`${request}&limit=100`);
  const names = (await (await fetch(url + csv)).text()).trim().split('\r\n').slice(1);
  assert.equal(names.length, answer.areas.length);
});

test('every definition, CSV and request of the page is there', async () => {
  for (const query of ['', '?for=rental&areaId=city-port-calder&with=city-highmarch']) {
    const { text } = await open(query);
    const metrics = await (await fetch(`${url}/docs/metrics`)).text();
    for (const table of [
      'price',
      'activity',
      'distribution',
      'days',
      'supply',
      'drops',
      'outcome',
      'areas',
    ]) {
      const { csv, api: request, definition } = linksOf(text, table);
      assert.ok(metrics.includes(`id="${definition.split('#')[1]}"`), definition);
      assert.equal((await fetch(url + csv)).status, 200, csv);
      await api(request);
    }
  }
});

test('the table is sorted by the column that its link names, and goes on page by page', async () => {
  const rowsOf = (text: string) => figureRows(text, /^Neighbourhoods of Port Calder/);
  const number = (cell = '') =>
    cell === 'too few' || cell === 'none' ? null : Number(cell.replaceAll(/[$,]/g, ''));
  for (const [sort, column] of [
    ['-median', 1],
    ['median', 1],
    ['-homes', 4],
    ['age', 5],
  ] as const) {
    const { text } = await open(`?areaId=city-port-calder&sort=${sort}`);
    const figures = rowsOf(text).map((cells) => number(cells[column]));
    const known = figures.filter((figure) => figure !== null);
    assert.ok(figures.length > 5);
    assert.deepEqual(figures.slice(0, known.length), known, 'what has no figure comes last');
    const sorted = known.toSorted((a, b) => (sort.startsWith('-') ? b - a : a - b));
    assert.deepEqual(known, sorted, sort);
    assert.match(text, new RegExp(`aria-sort="${sort.startsWith('-') ? 'descending' : 'ascending'}"`));
  }
  const first = (await open('?areaId=city-port-calder&sort=name')).text;
  const [, next = ''] = /<a href="([^"]*)" rel="next">/.exec(first) ?? [];
  const second = (await open(decode(next).replace(/^market|#.*$/g, ''))).text;
  const names = [...rowsOf(first), ...rowsOf(second)].map(([name]) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(names, names.toSorted());
  const { areas } = await api(`${linksOf(first, 'areas').api}&limit=100`);
  assert.deepEqual(new Set(names), new Set(areas.map(({ name }) => name)));
});

test('fewer than five homes have no figure: too few in the table, a gap in the chart', async () => {
  const { text } = await open('?areaId=city-port-calder&months=12');
  const { areas } = await api(`${linksOf(text, 'areas').api}&limit=100`);
  const small = areas.find(
    ({ metrics: { median_list_price: median } }) => median && median.n > 0 && median.n < 5,
  );
  assert.ok(small, 'the sample has such a neighbourhood');
  const page = (await open(`?areaId=${small.areaId}&months=12`)).text;
  const row = figureRows(page, /^Neighbourhoods/).find(([name]) => name === small.name);
  assert.equal(row?.[1], 'too few');
  const head = decode(/<dl class="head-figures">(.*?)<\/dl>/s.exec(page)?.[1] ?? '');
  assert.match(head, /Median asking pricetoo few/);
  const answer = await api(`${linksOf(page, 'price').api}&limit=100`);
  for (const { metrics } of answer.points) {
    const { value = null, n = 0 } = metrics.median_list_price ?? {};
    assert.equal(value === null, n < 5);
  }
});

test('the header finds areas by name, a second area too, and both come to one address', async () => {
  const found = await open('?find=port+calder&for=rental');
  assert.equal(found.status, 303);
  assert.equal(found.headers.get('location'), 'market?areaId=city-port-calder&for=rental');
  const second = await open('?areaId=city-port-calder&with=Highmarch');
  assert.equal(second.status, 303);
  assert.equal(second.headers.get('location'), 'market?areaId=city-port-calder&with=city-highmarch');
});

test('an area that there is not is a 404 with ways on; a bad parameter a 400 that names it', async () => {
  for (const query of [
    '?areaId=city-nowhere',
    '?find=Nowhere+Land',
    '?areaId=city-port-calder&with=nowhere',
  ]) {
    const { status, text } = await open(query);
    assert.equal(status, 404, query);
    assert.match(text, /<form action="market"/);
    assert.match(text, /href="market">The whole market/);
  }
  for (const [query, name] of [
    ['?months=13', 'months'],
    ['?for=both', 'for'],
    ['?sort=colour', 'sort'],
    ['?page=0', 'page'],
    ['?areaID2=x', 'areaID2'],
  ] as const) {
    const { status, text, headers } = await open(query);
    assert.equal(status, 400, query);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(decode(text).includes(name), query);
  }
});

test('the page has no style attribute, no script in it, and less than 40 kB compressed', async () => {
  const { text, headers } = await open('?areaId=city-port-calder&with=city-highmarch&months=120');
  assert.doesNotMatch(text, / style="| on\w+="|<script(?! type="module" src="\.\.\/)/);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const bytes = await new Promise<number>((resolve, reject) => {
    const options = { headers: { 'accept-encoding': 'br' } };
    request(
      `${url}/explore/market?areaId=city-port-calder&with=city-highmarch&months=120`,
      options,
      async (answer) => {
        assert.equal(answer.headers['content-encoding'], 'br');
        resolve(Buffer.concat(await answer.toArray()).length);
      },
    )
      .on('error', reject)
      .end();
  });
  assert.ok(bytes > 5_000 && bytes < 40_000, `${bytes} bytes`);
});

test('the page is not sent again while nothing has changed', async () => {
  const first = await fetch(`${url}/explore/market`);
  await first.text();
  const again = await fetch(`${url}/explore/market`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
});

test('the map fills each area by its figure: the lowest lightest, the highest darkest, too few homes hatched', async () => {
  for (const [colour, metric] of [
    ['median', 'median_list_price'],
    ['homes', 'inventory'],
  ] as const) {
    const { text } = await open(`?colour=${colour}`);
    const { areas } = await api(`${linksOf(text, 'areas').api}&limit=100`);
    const stepOf = new Map(
      [...text.matchAll(/<path class="s(\d)"[^>]*><title>([^<]*)</g)].map(([, step, name = '']) => [
        decode(name),
        Number(step),
      ]),
    );
    const known = areas.filter(({ metrics }) => metrics[metric]?.value != null);
    assert.ok(known.length > 1);
    for (const one of areas) {
      const step = stepOf.get(one.name);
      const value = one.metrics[metric]?.value ?? null;
      assert.equal(step === 0, value === null, one.name);
      for (const other of known)
        if (value !== null && value < (other.metrics[metric]?.value ?? 0))
          assert.ok((step ?? 0) <= (stepOf.get(other.name) ?? 0), `${one.name} and ${other.name}`);
    }
    const steps = [...stepOf.values()];
    // How far apart they are depends on the day of the sample.
    const filled = steps.filter((step) => step > 0);
    assert.ok(Math.min(...filled) < Math.max(...filled) && Math.max(...filled) > 3, `${steps}`);
  }
});

test('a page whose figures take too long is no error: it says so, and is loaded again until they are there', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = service.database.transaction(async (tx) => {
    await tx`lock table market_figure_cache in access exclusive mode`;
    locked.resolve();
    await released;
  });
  await locked.promise;
  const opened = open('?for=rental&months=120');
  await until('it waits for the figures', async () => {
    const [row] = await service.database.read(
      (sql) => sql<{ waits: boolean }[]>`
        select exists (select from pg_locks where relation = 'market_figure_cache'::regclass
          and not granted and database = (select oid from pg_database where datname = current_database())) as waits`,
    );
    return row?.waits === true;
  });
  clock.advance(3_000);
  const { status, text, headers } = await opened;
  release();
  await holding;
  assert.deepEqual([status, headers.get('refresh'), headers.get('cache-control')], [200, '2', 'no-store']);
  assert.match(text, /The figures are being computed/);
  assert.doesNotMatch(text, /rel="canonical"/);
  const again = await open('?for=rental&months=120');
  assert.equal(again.headers.get('refresh'), null);
  assert.match(again.text, /Median asking rent/);
});
