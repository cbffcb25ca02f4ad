// Benchmark of autocomplete: time at the server for a suggestion, compared with the same query in PostgreSQL.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVERYTHING } from '../src/access/tiers/reach.ts';
import { TIERS } from '../src/access/tiers/tiers.ts';
import type { Area, AreaDraft } from '../src/areas/area.ts';
import { createAreaCache } from '../src/areas/area-cache.ts';
import { type AreaCall, createAreaHandlers } from '../src/areas/handlers.ts';
import { planAreas } from '../src/areas/query.ts';
import type { Boundary } from '../src/geometry/geometry.ts';
import { writeAreaBatch } from '../src/ingest/area-writer.ts';
import type { Database } from '../src/postgres/client/database.ts';
import type { Closing } from '../test/support/database/database.ts';
import { startService, type TestService } from '../test/support/service/service.ts';
import { random } from './market.ts';
import { percentile } from './statistics.ts';

const ROUNDS = 500;
const BATCH = 2_000;

type Ask = (typed: string) => Promise<unknown>;

const plain = (type: AreaDraft['type'], externalId: string, name: string): AreaDraft => ({
  type,
  externalId,
  name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
});

/** Counties, neighbourhoods and postal codes from the folder of real data; none without it. */
async function realAreas(folder: string): Promise<AreaDraft[]> {
  if (folder === '') return [];
  const kinds = [
    ['us-counties', 'county', 'NAME'],
    ['seattle-neighborhoods', 'neighborhood', 'name'],
    ['seattle-zcta', 'postal_code', 'ZCTA5CE10'],
  ] as const;
  const drafts: AreaDraft[] = [];
  for (const [file, type, key] of kinds) {
    const text = await readFile(join(folder, 'areas', `${file}.geojson`), 'utf8');
    const { features } = JSON.parse(text) as {
      features: { id?: string; properties: Record<string, string>; geometry: Boundary }[];
    };
    for (const [at, { id, properties, geometry }] of features.entries())
      drafts.push({ ...plain(type, id ?? `${file}-${at}`, properties[key] ?? ''), boundary: geometry });
  }
  return drafts;
}

/** Names of two or three syllables, a third of them of two words: about as many different words as areas. */
function madeUp(count: number): AreaDraft[] {
  const next = random(11);
  const one = (parts: readonly string[]) => parts[Math.floor(next() * parts.length)] ?? '';
  const starts = 'al bar cor den el fair gar hol is jun kel lam mor nor ox par quin ros sal tor'.split(' ');
  const middles = 'a e i o u an en il or us ber der mer ner ver stan ring ling'.split(' ');
  const ends = 'ton ford ville field mont dale wick burg stead land haven port'.split(' ');
  const word = () => `${one(starts)}${one(middles)}${next() < 0.6 ? one(middles) : ''}${one(ends)}`;
  const name = () => (next() < 0.33 ? `${one(['north', 'st', 'new', 'lake'])} ${word()}` : word());
  return Array.from({ length: count }, (_, at) => ({
    ...plain('city', `made-${at}`, name()),
    population: Math.floor(1_000_000 * next() ** 6),
  }));
}

/** Beginnings as they are typed, and whole names with two letters exchanged. */
function typings(names: readonly string[], kind: 'beginning' | 'misspelt'): string[] {
  const next = random(5);
  return Array.from({ length: ROUNDS }, () => {
    const name = (names[Math.floor(next() * names.length)] ?? '').toLowerCase();
    if (kind === 'beginning') return name.slice(0, 2 + Math.floor(next() * 6)).trim();
    const at = 1 + Math.floor(next() * (name.length - 3));
    return name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2);
  });
}

async function figures(ask: Ask, typed: readonly string[]): Promise<string> {
  for (const text of typed.slice(0, 50)) await ask(text);
  const took: number[] = [];
  for (const text of typed) {
    const start = performance.now();
    await ask(text);
    took.push(performance.now() - start);
  }
  const tell = (share: number) => percentile(took, share).toFixed(2);
  return `p50 ${tell(0.5)} ms, p99 ${tell(0.99)} ms`;
}

/** The same question in SQL: ten areas by the beginning of a word, the largest first. */
const beginsInSql =
  (database: Database): Ask =>
  (typed) => {
    const word = typed.split(' ').at(-1) ?? '';
    return database.read(
      (sql) => sql`
        select id, name from area where exists (select from area_word
          where area_no = no and word >= ${word} and word < ${`${word}\u{10ffff}`})
        order by population desc nulls last limit 10`,
    );
  };

/** By the trigrams of its words, which searches keep for misspelt words of listings: those with the most in common. */
const resemblesInSql =
  (database: Database): Ask =>
  (typed) => {
    const padded = `  ${typed.split(' ').at(-1)} `;
    const parts = Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3));
    return database.read(
      (sql) => sql`
        with near as (
          select word, cardinality(array(select unnest(trigrams) intersect select unnest(${parts}::text[]))) as common
          from search_word where trigrams && ${parts}::text[] order by common desc limit 10)
        select distinct id, name, population, common from near join area_word using (word) join area on no = area_no
        order by common desc, population desc nulls last limit 10`,
    );
  };

const wordsFor = (q: string) => planAreas({ q }, 10, EVERYTHING).words;

const CALL: AreaCall = {
  caller: {
    kind: 'key',
    tier: 'internal',
    account: 'bench',
    subscription: null,
    owner: null,
    grant: null,
    scopes: null,
    reach: EVERYTHING,
  },
  requestId: 'bench',
  url: '/v1/areas',
};

async function measure(service: TestService, label: string): Promise<void> {
  const { database, json, keys } = service;
  const names = await database.read(
    (sql) => sql<{ name: string }[]>`select name from area where name ~ '^[A-Za-z ]{7,}$' order by no`,
  );
  const lookup = createAreaCache(database);
  const answers = createAreaHandlers({
    database,
    tiers: TIERS,
    publicUrl: 'http://localhost',
    readSources: async () => [],
  });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  await lookup.names();
  const loaded = performance.now() - start;
  globalThis.gc?.();
  const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  process.stdout.write(`${label}: names read in ${loaded.toFixed(0)} ms, about ${heap.toFixed(0)} MB\n`);
  const http: Ask = (typed) =>
    json(`/v1/areas?suggest=true&limit=10&q=${encodeURIComponent(typed)}`, keys.internal);
  for (const kind of ['beginning', 'misspelt'] as const) {
    const typed = typings(
      names.map(({ name }) => name),
      kind,
    );
    const sql = kind === 'beginning' ? beginsInSql(database) : resemblesInSql(database);
    const inMemory: Ask = async (text) => [
      ...(await lookup.names()).suggest(text, wordsFor(text), null).take(10),
    ];
    const answered: Ask = (text) => answers.list({ q: text, suggest: true, limit: 10 }, CALL);
    process.stdout.write(`  ${kind}, which areas: ${await figures(inMemory, typed)}\n`);
    process.stdout.write(`  ${kind}, the answer without HTTP: ${await figures(answered, typed)}\n`);
    process.stdout.write(
      `  ${kind}, whole request over HTTP, client included: ${await figures(http, typed)}\n`,
    );
    process.stdout.write(`  ${kind}, PostgreSQL alone: ${await figures(sql, typed)}\n`);
  }
  const answer: { data: Area[] } = await json('/v1/areas?hasBoundary=true&limit=200', keys.internal);
  const points = answer.data.flatMap(({ centroid }) =>
    centroid ? [`${centroid.lat}&lng=${centroid.lng}`] : [],
  );
  const around: Ask = (point) => json(`/v1/areas?lat=${point}`, keys.internal);
  if (points.length > 0) process.stdout.write(`  point, over HTTP: ${await figures(around, points)}\n`);
}

async function main(): Promise<void> {
  const endings: (() => Promise<void>)[] = [];
  const closing: Closing = { after: (callback) => void endings.push(callback) };
  try {
    const service = await startService(closing);
    const real = await realAreas(process.env.FREEHOLD_TEST_DATA ?? '');
    const all = [...real, ...madeUp(50_000 - real.length)];
    for (const size of [...(real.length > 0 ? [real.length] : []), all.length]) {
      const kept = size === all.length ? all.slice(real.length) : real;
      for (let at = 0; at < kept.length; at += BATCH)
        await writeAreaBatch(service.database, 'bench', kept.slice(at, at + BATCH));
      await service.database.write((sql) => sql`analyze`);
      await measure(service, `${size} areas`);
    }
  } finally {
    for (const end of endings) await end();
  }
}

await main();
