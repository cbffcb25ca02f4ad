// Reporter of a source: what is wrong with its feed, kept in the database for doctor and other processes.

import { isDeepStrictEqual } from 'node:util';
import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { SourceMetrics } from './metrics.ts';
import { findReport, type SourceReport, writeReport } from './report-store.ts';
import type { Source } from './source.ts';
import { type UnknownCount, unknownTotals, type ValueCount } from './value-counts.ts';

export interface ReporterOptions {
  readonly source: Pick<Source, 'id' | 'withheldValues' | 'unknownValues' | 'unreadFields'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<SourceMetrics, 'unknown'>;
}

interface Health {
  readonly failure: string | null;
  readonly detail: string | null;
  readonly rereadFailure: string | null;
  readonly sample: string | null;
  /** When the source was last read to its end, RFC 3339. */
  readonly asOf: string | null;
}

const BEGINNING = '1970-01-01T00:00:00Z';

export class Reporter {
  readonly #options: ReporterOptions;
  #written: Omit<SourceReport, 'failingSince'>;
  /** Values that a process before this one counted. */
  #earlier: readonly ValueCount[] = [];
  #earlierUnknown: readonly UnknownCount[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#written = {
      source: options.source.id,
      failure: null,
      detail: null,
      withheld: [],
      unknown: [],
      sample: null,
      succeededAt: null,
    };
  }

  /** Goes on from what was reported before. */
  async start(): Promise<void> {
    const { source, database } = this.#options;
    const known = await database.read((sql) => findReport(sql, source.id));
    if (known === null) return;
    const { failingSince: _, ...report } = known;
    this.#written = report;
    this.#earlier = report.withheld;
    this.#earlierUnknown = report.unknown;
  }

  /** All listings have been counted by this process. */
  forgetEarlier(): void {
    this.#earlier = [];
    this.#earlierUnknown = [];
  }

  /**
   * Writes what has changed since the last report, and each minute that the source was read. Never throws: without the database
   * there is no report. `hold` throws where another process reads the source by now.
   */
  async report(
    { failure, detail, rereadFailure, sample, asOf }: Health,
    hold: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const { source, database, clock, log, metrics } = this.#options;
    if (failure === 'database') return;
    const withheld = merged(this.#earlier, source.withheldValues?.list() ?? []);
    const unknown = merged(this.#earlierUnknown, unknownOf(source));
    metrics.unknown(unknownTotals(unknown));
    const { succeededAt } = this.#written;
    const report = {
      source: source.id,
      failure: failure ?? rereadFailure,
      detail,
      withheld,
      unknown,
      succeededAt: asOf,
      sample,
    };
    const isNoted = asOf === null || Date.parse(asOf) - Date.parse(succeededAt ?? BEGINNING) < MINUTE;
    if (isNoted && isDeepStrictEqual(report, { ...this.#written, succeededAt: asOf })) return;
    try {
      await database.transaction(async (tx) => {
        await writeReport(tx, report, new Date(clock.now()).toISOString());
        await hold(tx);
      });
      this.#written = report;
    } catch (error) {
      log.warn({ source: source.id, err: error }, 'The report on the source could not be written');
    }
  }
}

/** Steps by which counts of fields are reported: they grow with each record, and each report is a write. */
const roundedDown = (count: number): number => {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return Math.floor(count / step) * step;
};

function unknownOf({ unknownValues, unreadFields }: ReporterOptions['source']): UnknownCount[] {
  const fields = [...(unreadFields ?? [])].map(([field, records]) => ({
    field,
    value: null,
    listings: roundedDown(records),
  }));
  return [...(unknownValues?.list() ?? []), ...fields];
}

/** Each value with the greater of its two counts: after a restart only changed listings are counted. */
function merged<T extends ValueCount | UnknownCount>(earlier: readonly T[], own: readonly T[]): T[] {
  const nameOf = ({ field, value }: T) => `${field} ${value}`;
  const counts = new Map(earlier.map((count) => [nameOf(count), count]));
  for (const count of own) {
    const known = counts.get(nameOf(count));
    if (known === undefined || known.listings < count.listings) counts.set(nameOf(count), count);
  }
  return [...counts.values()].sort((a, b) => b.listings - a.listings);
}
