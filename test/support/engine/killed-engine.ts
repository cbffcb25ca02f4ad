// Rounds of an engine's process that is killed at a step, and of one that is started after it and must miss nothing.

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureSampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { readArrays } from '../../../src/search/engine/segments/array-file.ts';
import { draft } from '../catalogue/drafts.ts';
import { until } from '../check/until.ts';
import { type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { startProgram } from '../process/children.ts';
import { quietPort } from '../service/ports.ts';
import type { EngineChild, EngineStep, LoadedFrom } from './engine-child.ts';

export interface Round {
  readonly step: Exclude<EngineStep, 'never'>;
  readonly passes: number;
  /** Whether the process before left its column file. */
  readonly hasFile: boolean;
}

/** Each step, at a start from the database and from the file: a start from the file reads and writes nothing. */
export const ROUNDS: readonly Round[] = [
  { step: 'loading', passes: 0, hasFile: false },
  { step: 'loaded', passes: 0, hasFile: false },
  { step: 'writing', passes: 0, hasFile: false },
  { step: 'written', passes: 0, hasFile: false },
  { step: 'loaded', passes: 0, hasFile: true },
  { step: 'merging', passes: 0, hasFile: true },
  { step: 'merged', passes: 1, hasFile: true },
  { step: 'writing', passes: 3, hasFile: true },
  { step: 'written', passes: 1, hasFile: true },
];

/** Listings at first, and those that each change writes. */
const LISTINGS = 600;
const BATCH = 6;
/** More than a process is given before it must have come to its step. */
const MOST_CHANGES = 5_000;

export interface KilledEngine {
  /** Plays a round; resolves with the changes that were acknowledged in it. */
  play(round: Round): Promise<number>;
}

export async function stageKilledEngine(t: Closing): Promise<KilledEngine> {
  const { database, url } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'killed');
  const file = join(folder, 'columns');
  const { keys } = await ensureSampleKeys({ database, clock: systemClock, file: join(folder, 'keys.env') });
  const catalogue = createCatalogue(database);
  /** Prices as they were acknowledged, by key; null: gone. */
  const stored = new Map<string, number | null>();
  let writes = 0;

  async function write(listings: readonly string[], removed: readonly string[] = []): Promise<void> {
    const price = 100_000 + ++writes;
    const drafts = listings.map((key) => draft(key, { listPrice: price }));
    await database.transaction((tx) => catalogue.write(tx, 'test', drafts, Date.now(), removed));
    for (const key of listings) stored.set(key, price);
    for (const key of removed) stored.set(key, null);
  }

  const change = (): Promise<void> => {
    const keyAt = (at: number): string => `key-${(writes * 31 + at * 7) % LISTINGS}`;
    return write(
      Array.from({ length: BATCH }, (_, at) => keyAt(at)),
      [keyAt(BATCH)],
    );
  };

  async function start(step: EngineStep, passes: number) {
    const port = await quietPort();
    const settings: EngineChild = { url, folder, port, step, passes };
    const child = startProgram(t, 'engine/engine-child.ts', [JSON.stringify(settings)]);
    return { child, service: `http://127.0.0.1:${port}` };
  }

  /** Every page, past what may be a moment old. */
  async function pricesOf(service: string): Promise<number[]> {
    const prices: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/v1/search/sales?limit=250&sort=price&fields=price${cursor && `&cursor=${cursor}`}`;
      const answer = await fetch(`${service}${path}`, {
        headers: { authorization: `Bearer ${keys.internal}`, 'cache-control': 'no-cache' },
      });
      assert.equal(answer.status, 200);
      const { data, page, total }: Page = JSON.parse(await answer.text());
      prices.push(...data.map(({ price }) => price));
      cursor = page.nextCursor;
      assert.equal(total.value, [...stored.values()].filter((price) => price !== null).length);
    }
    return prices;
  }

  await write(Array.from({ length: LISTINGS }, (_, at) => `key-${at}`));
  return {
    async play({ step, passes, hasFile }) {
      if (!hasFile) await rm(file, { force: true });
      const before = writes;
      const { child } = await start(step, passes);
      const from = child.line();
      let isOver = false;
      const killed = child.ended.then((code) => {
        isOver = true;
        return code;
      });
      for (let left = MOST_CHANGES; !isOver && left > 0; left--) await change();
      assert.ok(isOver, `it never was ${step}`);
      assert.equal(await killed, null, `it was killed while ${step}`);
      const expectedFrom: LoadedFrom = hasFile ? 'the file' : 'the database';
      assert.equal(await from, step === 'loading' ? undefined : expectedFrom);
      // Whole, or nothing that anybody reads.
      await readArrays(file);
      await change();
      const next = await start('never', 0);
      assert.ok(await next.child.line(), 'it is loaded');
      assert.equal(await next.child.line(), 'ready');
      const expected = [...stored.values()].filter((price) => price !== null);
      assert.deepEqual(
        await pricesOf(next.service),
        expected.sort((a, b) => a - b),
      );
      // It may answer before it has written it, and the next round may be one that starts from it.
      await until('it leaves its column file', async () => (await readArrays(file)) !== null);
      next.child.kill('SIGKILL');
      await next.child.ended;
      return writes - before;
    },
  };
}

interface Page {
  readonly data: readonly { readonly price: number }[];
  readonly page: { readonly nextCursor: string | null };
  readonly total: { readonly value: number };
}
