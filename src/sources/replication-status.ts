// Status of the replication of one source, as health checks and commands show it.

import type { Progress } from './metrics.ts';
import { LiveError } from './source.ts';

export interface ReplicationStatus {
  /**
   * `waiting`: another process reads this source. `paused`: nobody does, because its operator has paused it or a restored
   * database is not accepted.
   */
  readonly state: 'starting' | 'waiting' | 'loading' | 'following' | 'failing' | 'paused';
  /** When the first load was complete, RFC 3339. */
  readonly loadedAt: string | null;
  /** When the catalogue last matched the source, RFC 3339. */
  readonly asOf: string | null;
  /** Why reading fails: a LiveError's fault or code, or `database`. */
  readonly failure: string | null;
  /** What the failure says of itself; null where it says nothing more. */
  readonly detail: string | null;
  /** A record that the failure is about; null: it is about none. */
  readonly sample: string | null;
  /** Why all records cannot be read again; reading changes goes on meanwhile. */
  readonly rereadFailure: string | null;
  readonly progress: Progress | null;
}

export const STARTING: ReplicationStatus = {
  state: 'starting',
  loadedAt: null,
  asOf: null,
  failure: null,
  detail: null,
  sample: null,
  rereadFailure: null,
  progress: null,
};
/** Of a source that is not read because the database was restored and is not accepted yet, or is a copy. */
export const WAITING_FOR_ACCEPT: ReplicationStatus = { ...STARTING, state: 'paused' };

/** What is reported of a failure: its name, as operators look it up, what it says of itself, and a record that it is about. */
export const describeFailure = (
  error: unknown,
): { readonly code: string } & Pick<ReplicationStatus, 'detail' | 'sample'> =>
  error instanceof LiveError
    ? { code: error.fault ?? error.code, detail: error.message, sample: error.sample }
    : { code: 'database', detail: null, sample: null };

/** Milliseconds before the next attempt: 1, 2, 4 ... 32 seconds, or longer where the source asks for it, plus up to a quarter. */
export function backoff(failures: number, retryAfter: number | null, random: number): number {
  const wait = Math.max(Math.min(1_000 * 2 ** (failures - 1), 32_000), retryAfter ?? 0);
  return Math.round(wait * (1 + 0.25 * random));
}
