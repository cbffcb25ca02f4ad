// Owns the keys that a new installation begins with: one for each tier, in a file that only its owner can read.
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { issueKey, keyHash } from '../providers/local.ts';
import {
  countKnownKeys,
  endSamples,
  hasSubscriptions,
  lockSamples,
} from '../providers/subscription-store.ts';
import { PLANS, type Plan } from '../tiers/tiers.ts';

export type SampleKeys = Readonly<Record<Plan, string>>;

export interface SampleKeysResult {
  readonly keys: SampleKeys;
  /** True when they were made now: the first start, or the file was lost, or the database is another one. */
  readonly created: boolean;
}

export interface SampleKeysOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Where the keys are written, in a form that a shell can read. */
  readonly file: string;
}

/**
 * The keys of the file, if the database knows them, whatever has become of their subscriptions since: a key that the
 * operator ended stays ended. Otherwise makes four subscriptions, ends the earlier ones, and writes the file anew.
 */
export async function sampleKeys({ database, clock, file }: SampleKeysOptions): Promise<SampleKeysResult> {
  const present = await readKeys(file);
  if (present !== undefined && (await areKnown(database, present))) return { keys: present, created: false };
  return database.transaction(async (tx) => {
    await lockSamples(tx);
    const written = await readKeys(file); // By a process that started at the same time.
    if (written !== undefined && (await countKnownKeys(tx, hashes(written))) === PLANS.length) {
      return { keys: written, created: false };
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
 * The same for a service of the operator's own data: made while there has never been a subscription, and never again. Null
 * where there are none: keys that were thrown away must not come back.
 */
export async function firstKeys(options: SampleKeysOptions): Promise<SampleKeysResult | null> {
  const { database, file } = options;
  const present = await readKeys(file);
  if (present !== undefined && (await areKnown(database, present))) return { keys: present, created: false };
  return (await database.read(hasSubscriptions)) ? null : sampleKeys(options);
}

/** The name under which a tier's key stands in the file. */
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

/** Written beside and moved into place: nobody ever reads half a file, or one with an open mode. */
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
