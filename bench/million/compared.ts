// P4, P5 and P6: searches compared with the same statements without the service, and cursors with OFFSET.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compared, inTurns, ratio } from '../oauth/load.ts';
import { median } from '../statistics.ts';
import { type Arm, type Load, loadWith, startArm, startService, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import type { Statement } from './driver.ts';
import { SEED } from './load.ts';
import { openLane, requestsFor } from './open-loop.ts';
import { pgbench } from './pgbench.ts';
import { KINDS, type Kind, questions } from './questions.ts';
import { openRecorder } from './record.ts';
import type { LargeTestbed } from './testbed.ts';

/** Different queries, sent in turn: so many that no response is still cached when its query is repeated. */
const QUESTIONS = 12_000;
const ROUNDS = 7;
const SECONDS = 3;
const WARM = 5;
export const headersFor = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

export const UNCOUNTED = { internal: { minute: null, month: null } };

export const kindCalled = (name: string): Kind => {
  const kind = KINDS.find((each) => each.name === name);
  if (!kind) throw new Error(`There is no kind of question called ${name}`);
  return kind;
};

/** Statements that find a page, without those that look names up before it or estimate a count after it. */
const pageOf = (statements: readonly Statement[]): Statement[] =>
  statements.filter(({ text }) => text.includes('join listing on'));

export async function searchAgainstRaw(testbed: LargeTestbed): Promise<Row[]> {
  const paths = questions(kindCalled('area'), testbed.known, SEED, QUESTIONS).map(
    (path) => `${path}&count=none`,
  );
  const ours = await startService(testbed, 'p4', UNCOUNTED);
  const raw = await startRaw(testbed, await recordedPages(testbed, paths));
  await requireSameListings(ours, raw, paths.slice(0, 50), testbed.key);
  const list = await listOf(testbed, 'p4', paths);
  let asked = 0;
  const rounds = await inTurns(
    async () => {
      const load = await ask(ours, list, testbed.key, SECONDS, asked);
      asked += load.requests;
      return load;
    },
    () => ask(raw, list, testbed.key, SECONDS, 0),
  );
  await Promise.all([ours.stop(), raw.stop()]);
  return [
    compared(
      'P4 search page of an area, ours / the same SQL by the same driver printed by node:http',
      rounds,
      0.8,
    ),
  ];
}

type Pages = Readonly<Record<string, readonly Statement[]>>;

async function recordedPages(testbed: LargeTestbed, paths: readonly string[]): Promise<Pages> {
  const recorder = openRecorder(testbed);
  const pages: Record<string, readonly Statement[]> = {};
  for (const path of paths) pages[path] = pageOf(await recorder.record(path));
  await recorder.close();
  return pages;
}

/** node:http alone, which answers these paths by their statements. */
async function startRaw(testbed: LargeTestbed, answers: Pages): Promise<Arm> {
  const file = join(testbed.folder, 'raw-answers.json');
  const each = Object.values(answers).some((asked) => asked.some(({ planned }) => planned === 'each'));
  await writeFile(
    file,
    JSON.stringify({ url: testbed.databaseUrl, planned: each ? 'each' : 'once', answers }),
  );
  return startArm('million/raw-search.ts', { ANSWERS: file });
}

/** Both arms print the same listings in the same order; ours say more of each. */
async function requireSameListings(
  ours: Arm,
  raw: Arm,
  paths: readonly string[],
  key: string,
): Promise<void> {
  for (const path of paths) {
    const [left = [], right = []] = await Promise.all([ours, raw].map((arm) => listingsOf(arm, path, key)));
    const known = right.slice(0, left.length).map(({ property: _, ...listing }) => listing);
    const same = left.map((listing, at) => pick(listing, Object.keys(known[at] ?? {})));
    if (!isDeepStrictEqual(same, known)) throw new Error(`The two arms of P4 differ at ${path}`);
  }
}

type Shown = Readonly<Record<string, unknown>>;

async function listingsOf({ url }: Arm, path: string, key: string): Promise<Shown[]> {
  const answer = await fetch(`${url}${path}`, { headers: headersFor(key) });
  return ((await answer.json()) as { data: Shown[] }).data;
}

const pick = (listing: Shown, keys: readonly string[]): Shown =>
  Object.fromEntries(keys.map((key) => [key, listing[key]]));

export async function listOf(
  testbed: Pick<Testbed, 'folder'>,
  name: string,
  paths: readonly string[],
): Promise<string> {
  const file = join(testbed.folder, `${name}.txt`);
  await writeFile(file, `${paths.join('\n')}\n`);
  return file;
}

/** Loads an arm with the paths of a file, from one of them on. */
export function ask(arm: Arm, list: string, key: string, seconds: number, from: number): Promise<Load> {
  const script = join(import.meta.dirname, 'paths.lua');
  const headers = Object.entries(headersFor(key)).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return loadWith(arm, ['-s', script, ...headers, arm.url, '--', list, String(from)], seconds);
}

/** One question after the other; milliseconds each. */
export async function oneByOne({ url }: Arm, paths: readonly string[], key: string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const lane = await openLane(hostname, Number(port), reject);
  const took: number[] = [];
  for (const request of requestsFor(url, paths, headersFor(key))) {
    const begun = performance.now();
    await Promise.race([failed, new Promise<void>((resolve) => lane.ask(request, resolve))]);
    took.push(performance.now() - begun);
  }
  lane.close();
  return took;
}

export async function searchAgainstPgbench(testbed: LargeTestbed): Promise<Row[]> {
  const paths = questions(kindCalled('area'), testbed.known, SEED, QUESTIONS).map(
    (path) => `${path}&count=none`,
  );
  const timed = 120 * (ROUNDS + 1);
  const pages = await recordedPages(testbed, paths.slice(0, timed));
  const statements = Object.values(pages).slice(0, 120);
  const [ours, raw] = [await startService(testbed, 'p5', UNCOUNTED), await startRaw(testbed, pages)];
  // Until its code is compiled, as it is in a service that runs for days: with others than are timed.
  await ask(ours, await listOf(testbed, 'p5', paths), testbed.key, WARM, timed);
  await ask(raw, await listOf(testbed, 'p5-raw', paths.slice(0, timed)), testbed.key, WARM, 0);
  const ratios: number[] = [];
  const alone: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const some = paths.slice(round * 120, round * 120 + 120);
    const bare = (): Promise<number[]> => pgbench(testbed, statements, { clients: 1, seconds: 2 });
    const before = round % 2 === 0 ? await bare() : [];
    const served = await oneByOne(ours, some, testbed.key);
    const printed = await oneByOne(raw, some, testbed.key);
    const after = round % 2 === 0 ? before : await bare();
    ratios.push(median(served) / median(after));
    alone.push(median(printed) / median(after));
  }
  await Promise.all([ours.stop(), raw.stop()]);
  const name =
    'P5 search page of an area, whole request over HTTP / its statement by pgbench -M prepared, p50';
  return [
    { name, figure: ratio(ratios), floor: '<= 1.40', met: median(ratios) <= 1.4 },
    { name: 'P5 the same, by node:http alone', figure: ratio(alone), floor: '', met: true },
  ];
}

const DEEP = 1_000;
const PAGE = 20;

/** The page a thousand pages in: by the service's own statement for its cursor, and by OFFSET; with a filter and without. */
export async function cursorAgainstOffset(testbed: LargeTestbed): Promise<Row[]> {
  return [
    await deepPage(testbed, 'sales of two bedrooms or more', '&minBedrooms=2'),
    await deepPage(testbed, 'all sales, nothing filtered', ''),
  ];
}

async function deepPage(testbed: LargeTestbed, what: string, filter: string): Promise<Row> {
  const path = `/v1/search/sales?limit=${PAGE}&count=none${filter}`;
  const recorder = openRecorder(testbed);
  const [first] = await recorder.record(path);
  if (!first) throw new Error('A search asked nothing');
  const place = first.parameters.findLastIndex((value) => value === String(PAGE + 1));
  const marker = `limit $${place + 1}`;
  if (!first.text.includes(marker)) throw new Error('The statement of a page is not as P6 knows it');
  const offset = { ...first, text: first.text.replace(marker, `${marker} offset ${DEEP * PAGE}`) };
  const byCursor = await recorder.record(`${path}&cursor=${await walk(testbed, filter, DEEP * PAGE)}`);
  await recorder.close();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [slow, fast] = [
      await pgbench(testbed, [[offset]], { clients: 1, seconds: 2 }),
      await pgbench(testbed, [byCursor], { clients: 1, seconds: 2 }),
    ];
    ratios.push(median(slow) / median(fast));
  }
  const name = `P6 page ${DEEP} of ${what}, OFFSET / cursor, p50 at the database`;
  return { name, figure: ratio(ratios), floor: '>= 50', met: median(ratios) >= 50 };
}

/** The cursor that goes on behind so many rows. */
async function walk(testbed: LargeTestbed, filter: string, rows: number): Promise<string> {
  const ours = await startService(testbed, 'p6', { internal: { minute: null, month: null, page: 500 } });
  let cursor = '';
  for (let read = 0; read < rows; read += 500) {
    const size = Math.min(500, rows - read);
    const address = `${ours.url}/v1/search/sales?limit=${size}&count=none&fields=id${filter}${cursor}`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${testbed.key}` } });
    const { page } = (await answer.json()) as { page: { nextCursor: string } };
    cursor = `&cursor=${page.nextCursor}`;
  }
  await ours.stop();
  return cursor.slice('&cursor='.length);
}
