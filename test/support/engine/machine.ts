// State machine of the engine's proof: commands that write, disturb and ask, each followed by questions.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { headSequence } from '../../../src/changes/change-store.ts';
import type { Facts } from '../catalogue/random-market.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { Market, redrawArbitrary, writeArbitrary } from './machine-market.ts';
import { ask, askable, askPage, type Judge, questionArbitrary } from './machine-questions.ts';
import { type FileFate, startMachine } from './machine-stage.ts';
import { walk, walkArbitrary } from './machine-walk.ts';

const HOUR = 3_600_000;

const disturbances = fc.oneof(
  fc.record({
    kind: fc.constant('restart' as const),
    file: fc.constantFrom<FileFate>('kept', 'kept', 'gone', 'damaged'),
    missed: writeArbitrary,
  }),
  /** The log is shortened below the engine's place while it cannot read it. */
  fc.record({ kind: fc.constant('shorten' as const), missed: writeArbitrary, late: questionArbitrary }),
  /** Merges wait until they are released. */
  fc.constantFrom({ kind: 'hold' as const }, { kind: 'release' as const }),
  fc.record({
    kind: fc.constant('jump' as const),
    milliseconds: fc.constantFrom(-400 * 24 * HOUR, -HOUR, -1, 1, 11 * 60_000, 30 * 24 * HOUR),
  }),
);

/** A command, and the question that is asked after it. */
export const stepArbitrary = fc.record({
  command: fc.oneof(
    { weight: 8, arbitrary: writeArbitrary },
    { weight: 1, arbitrary: redrawArbitrary },
    { weight: 2, arbitrary: walkArbitrary },
    { weight: 2, arbitrary: disturbances },
  ),
  question: questionArbitrary,
});
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never;
type Command = Step['command'];

export interface Played extends Readonly<Judge['counts']> {
  readonly rebuilds: number;
  readonly loads: number;
}

/** Plays the steps on a market of its own, which begins with these listings. Rejects where an answer is wrong. */
export async function play(t: Closing, steps: readonly Step[], base: readonly Facts[] = []): Promise<Played> {
  const stage = await startMachine(t);
  const judge: Judge = { stage, market: new Market(stage), counts: { asked: 0, judged: 0, found: 0 } };
  const facts = Object.fromEntries(base.map((each, at) => [`base-${at}`, each]));
  await judge.market.write({ facts, removed: [] });
  // The first command may be a walk that takes answers of a moment ago: who wants no cache waits for what was written.
  await askPage(judge, 'engine', { type: 'sale', query: { limit: '1' } }, {});
  const worn = { rebuilds: 0, loads: 0 };
  const wear = (): void => {
    const { rebuilds, loads } = stage.engine().status();
    worn.rebuilds += rebuilds;
    worn.loads += loads;
  };
  for (const { command, question } of steps) {
    if (command.kind === 'restart') wear();
    await take(judge, command);
    await ask(judge, question);
  }
  wear();
  return { ...judge.counts, ...worn };
}

async function take(judge: Judge, command: Command): Promise<void> {
  const { stage, market } = judge;
  switch (command.kind) {
    case 'write':
      return market.write(command);
    case 'redraw':
      return market.redraw(command);
    case 'walk':
      return walk(judge, command);
    case 'restart':
      stage.gates.merge.open();
      await stage.restart(command.file);
      return market.write(command.missed);
    case 'shorten':
      return shorten(judge, command);
    case 'hold':
      return stage.gates.merge.close();
    case 'release':
      return stage.gates.merge.open();
    case 'jump':
      return stage.jump(command.milliseconds);
  }
}

/** While the engine is loaded again, what it has goes on answering, and shows nothing that no longer matches. */
async function shorten(judge: Judge, { missed, late }: Extract<Command, { kind: 'shorten' }>): Promise<void> {
  const { stage, market } = judge;
  const { log, gates, database } = stage;
  const before = stage.engine().status();
  log.isRefused = true;
  await market.write(missed);
  await database.transaction(async (tx) => {
    const head = await headSequence(tx);
    await tx`delete from change`;
    await tx`update change_log set retained_from = ${head + 1}`;
  });
  gates.load.close();
  const came = gates.load.came;
  log.isRefused = false;
  const isAway = stage.engine().status().sequence < (await database.read(headSequence));
  if (isAway) {
    await until('the engine is loaded again', () => gates.load.came > came);
    stage.outlastCache();
    const { type, query } = askable(late.search, judge);
    const shown = await askPage(
      judge,
      'engine',
      { type, query: { ...query, limit: '100' } },
      { mayBeLate: true },
    );
    const ids = shown.data.map(({ id }) => id);
    const matching =
      ids.length === 0
        ? []
        : (await askPage(judge, 'sql', { type, query: { ...query, limit: '100', ids: ids.join() } }, {}))
            .data;
    assert.equal(ids.length, matching.length, `Shown although it does not match: ${JSON.stringify(query)}`);
  }
  gates.load.open();
  if (isAway) await until('it has what is stored', () => stage.engine().status().loads > before.loads);
}
