// Description of what answers searches, for the banner, for readiness, and for commands that ask for readiness.

import { megabytes } from '../search/engine/lifecycle/engine-memory.ts';
import type { EngineStatus } from '../search/engine/lifecycle/search-engine.ts';

/** How every description begins where PostgreSQL answers. */
const BY_POSTGRES = 'PostgreSQL';

/** In a few words, such as `in memory`. */
export function describeSearch({ state, progress, failure }: EngineStatus): string {
  if (state === 'ready') return 'in memory';
  if (state === 'filling') {
    const loaded = progress === null ? '' : `: ${count(progress.rows)} of ${count(progress.total)} listings`;
    return `loading into memory${loaded}`;
  }
  return failure === null
    ? BY_POSTGRES
    : `${BY_POSTGRES}, since the engine in memory is out of use: ${failure}`;
}

/** How many listings are searched in memory, what they take, and how far behind they may be; null where they are not. */
export function describeRows({ state, rows, bytes, lagMs }: EngineStatus): string | null {
  if (state !== 'ready') return null;
  return `${count(rows)} listings in ${megabytes(bytes)} of memory, at most ${Math.ceil(lagMs ?? 0)} ms behind`;
}

export interface Described {
  readonly isByPostgres: boolean;
  /** Null where the description has none. */
  readonly lagMs: number | null;
}

/** What one of these descriptions says. */
export function readDescription(text: string): Described {
  const [, lag] = /, at most (\d+) ms behind$/.exec(text) ?? [];
  return { isByPostgres: text.startsWith(BY_POSTGRES), lagMs: lag === undefined ? null : Number(lag) };
}

const count = (value: number): string => value.toLocaleString('en-US');
