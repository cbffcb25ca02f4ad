// Listings that a full file no longer has: found by their keys, and withdrawn or deleted once the file is read.

import type { Catalogue } from '../ingest/listing-writer.ts';
import { type EndedMissing, endMissing } from '../ingest/removal/end-missing.ts';
import { KeyList } from '../ingest/removal/key-list.ts';
import { STATUSES, type Status } from '../listings/vocabulary.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { SourceRecord } from './formats/record.ts';
import type { ImportMap } from './mapping/map.ts';
import { compileMap } from './mapping/row.ts';
import { findKeys } from './missing-store.ts';

export const MISSING_ACTIONS = ['withdraw', 'delete'] as const;
export type MissingAction = (typeof MISSING_ACTIONS)[number];

/** What an import does with the listings of its source that the file no longer has. */
export interface MissingOptions {
  readonly action: MissingAction;
  /** Whether somebody has looked: the guard refuses nothing. */
  readonly accept: boolean;
}

export interface MissingResult extends Pick<EndedMissing, 'missing' | 'ended' | 'refused' | 'examples'> {
  readonly action: MissingAction;
}

/** What each action ends, and as what. Sales and other listings that have ended anyway are left to `delete`. */
const ACTIONS: Readonly<Record<MissingAction, { readonly from: readonly Status[]; readonly to: Status }>> = {
  withdraw: {
    from: ['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON', 'PENDING', 'HOLD', 'UNKNOWN'],
    to: 'WITHDRAWN',
  },
  delete: { from: STATUSES.filter((status) => status !== 'DELETED'), to: 'DELETED' },
};

export interface MissingContext {
  readonly database: Database;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly map: ImportMap;
  readonly options: MissingOptions;
}

/** Notes the keys of a file, those of rejected rows included, and ends what it does not have. */
export class MissingListings {
  readonly #context: MissingContext;
  readonly #keyOf: (record: SourceRecord) => string | null;
  readonly #listed = new KeyList();
  #withoutKey = 0;
  #isLastBroken = false;

  constructor(context: MissingContext) {
    this.#context = context;
    const { listingKey = [] } = context.map.fields;
    const read = compileMap({ ...context.map, fields: { listingKey } });
    this.#keyOf = (record) => read(record).values.text('listingKey');
  }

  note(record: SourceRecord, isRejected: boolean): void {
    this.#isLastBroken = isRejected && record.broken !== null;
    const key = this.#keyOf(record);
    if (key === null) this.#withoutKey++;
    else this.#listed.add(key);
  }

  /**
   * Ends what is missing, batch by batch. Interrupted, it ends the rest when it is called again after the same file.
   * @param quiet whether watchers hear nothing
   */
  async end(quiet: boolean, isStopped: () => boolean): Promise<MissingResult> {
    const { database, map, options } = this.#context;
    const { action, accept } = options;
    const { from } = ACTIONS[action];
    const { missing, ended, refused, examples } = await endMissing({
      keys: this.#listed,
      doubt: this.#doubt(),
      accept,
      async findStored(after, limit) {
        const keys = await database.read((sql) => findKeys(sql, map.source.id, from, after, limit), {
          timeout: 0,
        });
        return keys.map((key) => ({ key }));
      },
      end: (keys) => database.transaction((tx) => this.#endBatch(tx, keys, quiet), { timeout: 0 }),
      isStopped,
    });
    return { action, missing, ended, refused, examples };
  }

  #doubt(): string | null {
    if (this.#isLastBroken) return 'its last row is broken';
    if (this.#withoutKey === 0) return null;
    return this.#withoutKey === 1
      ? 'a row has no readable key'
      : `${this.#withoutKey} rows have no readable key`;
  }

  async #endBatch(tx: Transaction, keys: readonly string[], quiet: boolean): Promise<number> {
    const { catalogue, database, map, options } = this.#context;
    const { to } = ACTIONS[options.action];
    const { removed } = await catalogue.write(tx, map.source.id, [], database.clock.now(), keys, quiet, to);
    return removed;
  }
}
