// Description of what answers searches, for the banner and for readiness.

import type { EngineStatus } from '../search/engine/lifecycle/search-engine.ts';

/** In a few words, such as `in memory`. */
export function describeSearch({ state, progress, failure }: EngineStatus): string {
  if (state === 'ready') return 'in memory';
  if (state === 'filling') {
    const loaded = progress === null ? '' : `: ${count(progress.rows)} of ${count(progress.total)} listings`;
    return `loading into memory${loaded}`;
  }
  return failure === null ? 'PostgreSQL' : `PostgreSQL, since the engine in memory is out of use: ${failure}`;
}

/** How many listings are searched in memory, and how far behind they may be; null where they are not. */
export function describeRows({ state, rows, lagMs }: EngineStatus): string | null {
  return state === 'ready' ? `${count(rows)} listings, at most ${Math.ceil(lagMs ?? 0)} ms behind` : null;
}

const count = (value: number): string => value.toLocaleString('en-US');
