// The change log's cost: rows a second that are written with it, compared with the same writers without it.

import { interval, median } from './statistics.ts';
import { type Arm, openTestbed, startArm, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

const LISTINGS = 2_000;
/** Writers of single listings (0: one writer of pages, as replication is), and in how many short rounds they are compared. */
const ROUNDS = new Map([
  [0, 30],
  [8, 12],
  [32, 12],
]);
const MIN_RATIO = 0.85;

export async function logAgainstNone(testbed: Testbed): Promise<Row[]> {
  const other = await openTestbed(LISTINGS);
  try {
    await other.database.write((sql) => sql`drop index listing_change`);
    const logged = await startWriter(testbed, 'on');
    const bare = await startWriter(other, 'off');
    const before = await sizeOf(testbed);
    const rows: Row[] = [];
    for (const [writers, rounds] of ROUNDS) rows.push(await compare(logged, bare, writers, rounds));
    const after = await sizeOf(testbed);
    await Promise.all([logged.stop(), bare.stop()]);
    const bytes = (after.bytes - before.bytes) / (after.changes - before.changes);
    return [...rows, { name: 'bytes of the log a change', figure: bytes.toFixed(), floor: '', met: true }];
  } finally {
    await other.close();
  }
}

function startWriter({ databaseUrl }: Testbed, log: string): Promise<Arm> {
  return startArm('change-writer.ts', { DATABASE_URL: databaseUrl, LOG: log, LISTINGS: String(LISTINGS) });
}

async function compare(logged: Arm, bare: Arm, writers: number, count: number): Promise<Row> {
  const measure = async ({ url }: Arm) => Number(await (await fetch(`${url}/?writers=${writers}`)).text());
  for (const arm of [logged, bare, logged, bare]) await measure(arm);
  const rounds: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < count; round++) {
    const order = round % 2 === 0 ? [logged, bare] : [bare, logged];
    const rates = new Map<Arm, number>();
    for (const arm of order) rates.set(arm, await measure(arm));
    rounds.push({ ours: rates.get(logged) ?? 0, theirs: rates.get(bare) ?? 0 });
  }
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs);
  const [low, high] = interval(ratios);
  const [ours, theirs] = [median(rounds.map((each) => each.ours)), median(rounds.map((each) => each.theirs))];
  const name = writers === 0 ? 'one replicator' : `${writers} writers of single listings`;
  return {
    name: `${name}, rows a second with the log / without`,
    figure: `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}): ${ours.toFixed()} / ${theirs.toFixed()}`,
    floor: writers === 0 ? `>= ${MIN_RATIO.toFixed(2)}` : '',
    met: writers !== 0 || median(ratios) >= MIN_RATIO,
  };
}

async function sizeOf({ database }: Testbed): Promise<{ changes: number; bytes: number }> {
  const [size] = await database.read(
    (sql) => sql<{ changes: number; bytes: number }[]>`
      select (select count(*) from change)::int as changes,
        (pg_total_relation_size('change_default') + pg_total_relation_size('change_batch'))::bigint as bytes`,
  );
  return size ?? { changes: 0, bytes: 0 };
}
