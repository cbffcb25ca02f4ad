// Sample keys of a new installation: one for each tier, in a file that only its owner can read.

import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import {
  countKnownKeys,
  endSamples,
  hasSubscriptions,
  issueKey,
  keyHash,
  lockSamples,
} from '../providers/subscription-store.ts';
import { PLANS, type Plan } from '../tiers/tiers.ts';

export type SampleKeys = Readonly<Record<Plan, string>>;

export interface SampleKeysResult {
  readonly keys: SampleKeys;
  /** True at the first start, when the file was lost, or with another database. */
  readonly created: boolean;
}

export interface SampleKeysOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Where the keys are written, in a form that a shell can read. */
  readonly file: string;
}

/**
 * The keys of the file, if the database knows them: a key that the operator ended stays ended. Otherwise creates four
 * subscriptions, ends the earlier sample ones, and rewrites the file.
 */
export async function ensureSampleKeys({
  database,
  clock,
  file,
}: SampleKeysOptions): Promise<SampleKeysResult> {
  const present = await readKeys(file);
  if (present !== undefined && (await areKnown(database, present))) return { keys: present, created: false };
  return database.transaction(async (tx) => {
    await lockSamples(tx);
    const concurrent = await readKeys(file); // By a process that started at the same time.
    if (concurrent !== undefined && (await countKnownKeys(tx, hashes(concurrent))) === PLANS.length) {
      return { keys: concurrent, created: false };
    }
    const now = new Date(clock.now());
    await endSamples(tx, now);
    const keys: Partial<Record<Plan, string>> = {};
    for (const plan of PLANS) {
      keys[plan] = (await issueKey(tx, { plan, label: `Sample key, ${plan}`, sample: true }, now)).key;
    }
    await writeKeys(file, keys as SampleKeys);
    return { keys: keys as SampleKeys, created: true };
  });
}

/**
 * The same for a service of the operator's own data, but only while there has never been a subscription: keys that were
 * deleted must not come back. Null where there are none.
 */
export async function ensureFirstKeys(options: SampleKeysOptions): Promise<SampleKeysResult | null> {
  const { database, file } = options;
  const present = await readKeys(file);
  if (present !== undefined && (await areKnown(database, present))) return { keys: present, created: false };
  return (await database.read(hasSubscriptions)) ? null : ensureSampleKeys(options);
}

/** Name of the variable that holds a tier's key in the file. */
export function keyVariable(plan: Plan): string {
  return `FREEHOLD_${plan.toUpperCase()}_KEY`;
}

async function areKnown(database: Database, keys: SampleKeys): Promise<boolean> {
  return (await database.read((sql) => countKnownKeys(sql, hashes(keys)))) === PLANS.length;
}

function hashes(keys: SampleKeys): Buffer[] {
  return PLANS.map((plan) => keyHash(keys[plan]));
}

/** The four keys of the file; undefined when it is not there or lacks one. */
async function readKeys(file: string): Promise<SampleKeys | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const values = new Map([...text.matchAll(/^(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));
  const entries = PLANS.map((plan) => [plan, values.get(keyVariable(plan))] as const);
  if (entries.some(([, key]) => key === undefined)) return undefined;
  return Object.fromEntries(entries) as SampleKeys;
}

/** Writes a temporary file and renames it, so that nobody reads half a file or one with an open mode. */
async function writeKeys(file: string, keys: SampleKeys): Promise<void> {
  const lines = PLANS.map((plan) => `${keyVariable(plan)}=${keys[plan]}`);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
