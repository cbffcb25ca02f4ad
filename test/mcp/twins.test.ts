// Proves that each tool gives what its route gives over REST, on random arguments, valid and invalid.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { TOOL_TABLE } from '../../src/mcp/tools/tool-table.ts';
import { runs } from '../support/check/runs.ts';
import {
  codeOf,
  faultsOf,
  listTools,
  type ToolAnswer,
  textOf,
  toolCaller,
} from '../support/mcp/call-tool.ts';
import { randomArguments, type Schema } from '../support/mcp/random-arguments.ts';
import { startService } from '../support/service/service.ts';

type Json = Record<string, unknown>;

const service = await startService({ after }, { source: 'sample' });
const key = service.keys.internal;
const call = toolCaller(service.url, key);
const tools = await listTools(service.url, key);

const { data } = (await service.json('/v1/search/sales?limit=3&status=any', key)) as {
  data: { id: string; propertyId: string }[];
};
const homes = data.flatMap(({ id, propertyId }) => [id, propertyId]);
const watcher = await call('create_watcher', {
  target: { type: 'search', listingType: 'sale', query: { city: ['Port Calder'] } },
  name: 'Port Calder',
  metadata: { for: 'a test' },
  backfill: true,
});
const watcherId = String(watcher.structuredContent.id);

const PLACES = {
  areaId: ['city-eastmark', 'county-calder', 'metro-calder-sound', 'nowhere'],
  parentId: ['county-calder', 'nowhere'],
  ancestorId: ['metro-calder-sound', 'nowhere'],
  city: ['Eastmark', 'Port Calder', 'port calder', 'Nowhere'],
  neighborhood: ['Fox Hollow', 'Nowhere'],
  postalCode: ['86939', '00000'],
  address: ['2097 Sunset', 'Nowhere'],
  lat: [40.8],
  lng: [-137.3],
  radius: ['5km', '2mi', 'far'],
  bbox: ['-137.5,40.6,-137.1,40.9', '1,2,3'],
};
const POOLS = {
  ...PLACES,

  q: ['garden', 'calder', 'ash'],
  status: ['ACTIVE', 'CLOSED', 'any', 'bogus'],
  features: ['pool', 'garage'],
  sort: ['price', '-price', 'listedAt', 'bogus'],
  cursor: ['bogus'],
  after: ['now', 'bogus'],
  fields: ['id', 'price', 'address.city', 'bogus'],
  currency: ['USD', 'EUR', 'X'],
  digest: ['bogus'],
  metrics: ['inventory', 'median_rent', 'median_list_price', 'median_list_price_yoy', 'bogus'],
  limit: [1, 3, 12, 0],
  periods: [3, 13, 0],
  from: ['2026-01-01', '2026-01-15'],
  to: ['2026-10-01'],
  pets: ['dogs', 'cats'],
  type: ['city', 'search.match_added', 'bogus'],
  compCount: [5, 25, 4],
};

/** Tools that read, with the paths of their routes. */
const TWINS: Readonly<Record<string, string>> = {
  search_rentals: '/v1/search/rentals',
  search_sales: '/v1/search/sales',
  find_areas: '/v1/areas',
  get_property: '/v1/property/{id}',
  estimate_value: '/v1/property/{id}/estimate',
  find_comparables: '/v1/property/{id}/comparables',
  get_market_stats: '/v1/market/stats',
  get_market_history: '/v1/market/history',
  compare_markets: '/v1/market/compare',
  list_watchers: '/v1/watchers',
  get_watcher_events: '/v1/watchers/{id}/events',
};

/** The route's answer to the same arguments, with the defaults that the tool states. */
async function askRest(path: string, args: Json, defaults: Json): Promise<{ status: number; json: Json }> {
  const { id, detail: _, ...query } = { ...defaults, ...args };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, plain(item));
  const place = path.replace('{id}', encodeURIComponent(String(id)));
  const response = await service.get(`${place}?${parameters}`, key);
  return { status: response.status, json: (await response.json()) as Json };
}

/** A number without an exponent. */
const plain = (value: unknown): string =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 9 })
    : String(value);

/** The content with the text of others back in its place. */
function rebuilt({ structuredContent }: ToolAnswer): Json {
  const {
    untrusted,
    omitted: _,
    links: __,
    view: ___,
    ...content
  } = structuredClone(structuredContent) as Json;
  for (const { at, text } of untrusted as { at: string; text: string }[]) {
    const names = at.split('/').slice(1);
    const last = names.pop() ?? '';
    const into = names.reduce<Json>((of, name) => of[name] as Json, content);
    into[last] = ['metadata', 'reso'].includes(last) ? JSON.parse(text) : text;
  }
  return content;
}

/** Members that differ from one answer to the next. */
function stable(json: Json): Json {
  const { meta, live, fetchedAt: _, cacheAgeSeconds: __, ...rest } = json;
  const { requestId: ___, ...others } = (meta ?? {}) as Json;
  const text = JSON.stringify({ ...rest, meta: others, live: live === null });
  return JSON.parse(text.replaceAll(/"fetchedAt":"[^"]*"/g, '"fetchedAt":""')) as Json;
}

/** Asserts that everything in `part` is in `whole`, in its place; where `isCut`, lists and texts are the beginnings of those. */
function assertPart(part: unknown, whole: unknown, at: string, isCut = false): void {
  if (isCut && typeof part === 'string' && part.endsWith('…')) {
    assert.ok(String(whole).startsWith(part.slice(0, -1)), at);
    return;
  }
  if (typeof part !== 'object' || part === null) {
    assert.deepEqual(part, whole, at);
    return;
  }
  assert.ok(typeof whole === 'object' && whole !== null, at);
  if (Array.isArray(part) && !isCut) assert.equal(part.length, (whole as unknown[]).length, at);
  for (const [name, value] of Object.entries(part))
    assertPart(value, (whole as Json)[name], `${at}/${name}`, isCut);
}

function assertSameProblem(
  answer: ToolAnswer,
  { status, json }: { status: number; json: Json },
  what: string,
): void {
  const names = ((json.errors ?? []) as { parameter: string }[]).map(({ parameter }) => parameter);
  assert.equal(answer.isError, true, what);
  assert.ok(status >= 400, what);
  assert.equal(codeOf(answer), json.code, what);
  // A single fault may have a sentence of its own, in which the parameter is not the subject.
  if (names.length > 1) assert.deepEqual([...faultsOf(answer).keys()].toSorted(), names.toSorted(), what);
  for (const name of names) assert.ok(textOf(answer).includes(name), `${what}: ${textOf(answer)}`);
}

const seen = { answers: 0, problems: 0 };

for (const [name, path] of Object.entries(TWINS)) {
  const tool = tools.find((each) => each.name === name);
  const schema = (tool?.inputSchema ?? {}) as Schema;
  const { defaults = {} } = TOOL_TABLE.find((row) => row.name === name) ?? {};
  const id = path.startsWith('/v1/watchers') ? [watcherId, 'wat_nobody'] : [...homes, 'lst_nothing'];

  test(`${name} gives what ${path} gives, and refuses what it refuses`, async () => {
    const drawn: fc.Arbitrary<Json> = randomArguments(schema, { ...POOLS, id });
    const isFull = schema.properties?.detail === undefined ? fc.constant(false) : fc.boolean();
    const args = fc.tuple(drawn, isFull).map(([some, full]) => (full ? { ...some, detail: 'full' } : some));
    await fc.assert(
      fc.asyncProperty(args, async (sent: Json) => {
        const what = `${name} ${JSON.stringify(sent)}`;
        // REST has no detail to be wrong about, and no path without its id.
        if (sent.detail === 'bogus' || (path.includes('{id}') && sent.id === undefined)) return;
        const [answer, twin] = await Promise.all([call(name, sent), askRest(path, sent, defaults)]);
        seen[twin.status === 200 ? 'answers' : 'problems'] += 1;
        if (twin.status !== 200) return assertSameProblem(answer, twin, what);
        assert.notEqual(answer.isError, true, `${what}: ${JSON.stringify(answer.structuredContent)}`);
        const omitted = String(answer.structuredContent.omitted);
        const [, lowered] = /limit was lowered to (\d+)/.exec(omitted) ?? [];
        const same =
          lowered === undefined ? twin : await askRest(path, { ...sent, limit: lowered }, defaults);
        const [ours, theirs] = [stable(rebuilt(answer)), stable(same.json)];
        const isCut = /Cut to fit|Long texts/.test(omitted);
        if (sent.detail === 'full' && !isCut) return assert.deepEqual(ours, theirs, what);
        const { page, ...rest } = ours;
        assertPart(rest, theirs, what, isCut);
        assert.equal((page as Json | undefined)?.hasMore, (theirs.page as Json | undefined)?.hasMore, what);
      }),
      runs(60, 11),
    );
  });
}

test('both kinds of arguments were drawn', () => {
  assert.ok(seen.answers > 100 && seen.problems > 100, JSON.stringify(seen));
});
