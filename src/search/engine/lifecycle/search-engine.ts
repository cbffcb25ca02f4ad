// Search engine: what the rest of the service knows of it.

import type { Generation } from '../columns/segment.ts';
import type { LoadProgress } from '../segments/load-store.ts';

/**
 * `filling`: it is being loaded for the first time; `unusable`: loading failed, and is tried again; `off`: it
 * stays out of use until the process is started again. PostgreSQL answers where it is unusable or off.
 */
export type EngineState = 'filling' | 'ready' | 'unusable' | 'off';

export interface EngineStatus {
  readonly state: EngineState;
  /** Of a load under way. */
  readonly progress: LoadProgress | null;
  /** Why it is unusable or off, or why the last load failed. */
  readonly failure: string | null;
  /** Of the newest change that it has. */
  readonly sequence: number;
  /** Milliseconds: all changes that are older are there; null: there is no generation. */
  readonly lagMs: number | null;
  readonly rows: number;
  readonly tailRows: number;
  readonly bytes: number;
  readonly loads: number;
  readonly rebuilds: number;
  /** Milliseconds of all rebuilds. */
  readonly rebuildTime: number;
}

export interface SearchEngine {
  /** The newest generation; null: searches have to be answered otherwise. */
  generation(): Generation | null;
  status(): EngineStatus;
  /** That of the status. */
  lagMs(): number | null;
  /** Resolves once the generation has a change of the log; rejects with the signal's reason. */
  waitFor(sequence: number, signal: AbortSignal): Promise<void>;
  /**
   * Resolves once everything that was committed before is there: true; false if that takes longer than `limit` milliseconds,
   * or cannot be known. Rejects with the reason of `signal`. An engine that does not answer is not waited for.
   */
  catchUp(limit: number, signal?: AbortSignal): Promise<boolean>;
  /** Begins to load; resolves once the engine is loaded, or will not be soon: a large market, a failure, too little memory. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** In its place where PostgreSQL answers all searches. */
export const NO_ENGINE: SearchEngine = {
  generation: () => null,
  status: () => ({
    state: 'off',
    progress: null,
    failure: null,
    sequence: 0,
    lagMs: null,
    rows: 0,
    tailRows: 0,
    bytes: 0,
    loads: 0,
    rebuilds: 0,
    rebuildTime: 0,
  }),
  lagMs: () => null,
  waitFor: async () => {},
  catchUp: async () => true,
  start: async () => {},
  stop: async () => {},
};
