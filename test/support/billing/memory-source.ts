// Source in memory for the job behind the inbox: it counts what it is asked, and fails or hangs for single names on demand.

import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import type { EventJobOptions, PaymentSource } from '../../../src/billing/event-job.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

export interface MemorySource extends PaymentSource {
  /** Questions so far: subjects that were resolved, and references that were renewed. */
  readonly resolved: string[];
  readonly renewed: string[];
  /** Names that get no answer, or none before `release`. */
  readonly failing: Set<string>;
  readonly hanging: Set<string>;
  /** References of a subject; default: its id. */
  readonly references: Map<string, readonly string[]>;
  release(): void;
}

export function memorySource(name: PaymentSource['name'] = 'polar'): MemorySource {
  let waiting: (() => void)[] = [];
  const source: MemorySource = {
    name,
    resolved: [],
    renewed: [],
    failing: new Set(),
    hanging: new Set(),
    references: new Map(),
    async resolveSubject(subject) {
      source.resolved.push(subject);
      await answer(subject);
      return source.references.get(subject) ?? [subject.slice(subject.indexOf(':') + 1)];
    },
    async renew(reference) {
      source.renewed.push(reference);
      await answer(reference);
    },
    release() {
      source.hanging.clear();
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
  async function answer(about: string): Promise<void> {
    if (source.hanging.has(about)) await new Promise<void>((resolve) => waiting.push(resolve));
    if (source.failing.has(about))
      throw new ProviderUnavailable(new Error(`api.example answered 503 to ${about}`));
  }
  return source;
}

/** Options of a job that asks `source`; its errors end the test, and pauses are as short as they can be. */
export function jobOptions(database: Database, source: PaymentSource): EventJobOptions {
  return {
    database,
    source,
    random: () => 0,
    countEvent: () => {},
    report(error) {
      throw error;
    },
  };
}
