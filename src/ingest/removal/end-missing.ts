// Ending of what a full list lacks, for files, snapshots and feeds alike: found by keys, judged by one guard, ended in batches.

import { eventLoop } from '../../lib/scheduler.ts';
import { refuseEnding } from './ending-guard.ts';
import type { KeyList } from './key-list.ts';

/** A stored listing that a list may end. */
export interface StoredKey {
  readonly key: string;
  /** Whether the list says nothing of it, since what is stored is newer. */
  readonly isNewer?: boolean;
}

export interface FullList {
  /** Of all listings of the source. */
  readonly keys: Pick<KeyList, 'size' | 'has'>;
  /** Why it may not be whole; null: nothing says so. */
  readonly doubt: string | null;
  /** Whether somebody has looked: the guard refuses nothing. */
  readonly accept: boolean;
  /** The next stored listings that it may end, in the order of their keys; fewer than `limit`: the last ones. */
  readonly findStored: (after: string, limit: number) => Promise<readonly StoredKey[]>;
  /** Ends listings in a transaction; returns how many. */
  readonly end: (keys: readonly string[]) => Promise<number>;
  /** Whether to stop after the batch under way; what is left ends when the list is taken again. */
  readonly isStopped?: () => boolean;
}

export interface EndedMissing {
  /** Stored listings that it could end. */
  readonly stored: number;
  /** Those of them that it does not name. */
  readonly missing: number;
  /** Those that it does not name either, but that are newer. */
  readonly kept: number;
  readonly ended: number;
  /** Why none was ended, as a sentence; null: nothing spoke against it. */
  readonly refused: string | null;
  /** Keys of the first that are missing. */
  readonly examples: readonly string[];
}

const MAX_EXAMPLES = 10;
/** Keys read at once, and listings to a transaction. */
const PAGE = 10_000;
const BATCH = 500;

/** Ends the stored listings that a list of all listings of their source does not name, unless that looks like a mistake. */
export async function endMissing(list: FullList): Promise<EndedMissing> {
  const { keys, doubt, accept, end, isStopped } = list;
  const { missing, stored, kept } = await findMissing(list);
  const found = { stored, missing: missing.length, kept, examples: missing.slice(0, MAX_EXAMPLES) };
  const refused = accept ? null : refuseEnding({ listed: keys.size, doubt, stored, ending: missing.length });
  let ended = 0;
  for (let from = 0; refused === null && from < missing.length && !isStopped?.(); from += BATCH)
    ended += await end(missing.slice(from, from + BATCH));
  return { ...found, ended, refused };
}

async function findMissing({
  keys,
  findStored,
}: FullList): Promise<{ missing: string[]; stored: number; kept: number }> {
  const missing: string[] = [];
  let [stored, kept, after] = [0, 0, ''];
  for (;;) {
    const page = await findStored(after, PAGE);
    await eventLoop.forEach(page, ({ key, isNewer = false }) => {
      if (keys.has(key)) return;
      if (isNewer) kept++;
      else missing.push(key);
    });
    stored += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { missing, stored, kept };
    after = last.key;
  }
}
