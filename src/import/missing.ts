// Listings that a full file no longer has: found by their keys, and withdrawn or deleted once the file is read.

import { hash } from 'node:crypto';
import type { Catalogue } from '../ingest/listing-writer.ts';
import { refuseEnding } from '../ingest/removal/ending-guard.ts';
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

export interface MissingResult {
  readonly action: MissingAction;
  /** Stored listings that the file does not have. */
  readonly missing: number;
  readonly ended: number;
  /** Why none was ended, as a sentence; null: nothing spoke against it. */
  readonly refused: string | null;
  /** Keys of the first that are missing. */
  readonly examples: readonly string[];
}

/** What each action ends, and as what. Sales and other listings that have ended anyway are left to `delete`. */
const ACTIONS: Readonly<Record<MissingAction, { readonly from: readonly Status[]; readonly to: Status }>> = {
  withdraw: {
    from: ['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON', 'PENDING', 'HOLD', 'UNKNOWN'],
    to: 'WITHDRAWN',
  },
  delete: { from: STATUSES.filter((status) => status !== 'DELETED'), to: 'DELETED' },
};

const MAX_EXAMPLES = 10;
/** Keys read at once. */
const PAGE = 10_000;
/** Listings to a transaction. */
const BATCH = 500;

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
  /** 48 bits of a digest of each key: a file of millions of rows fits in memory. */
  readonly #listed = new Set<number>();
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
    else this.#listed.add(digestOf(key));
  }

  /**
   * Ends what is missing, batch by batch. Interrupted, it ends the rest when it is called again after the same file.
   * @param quiet whether watchers hear nothing
   */
  async end(quiet: boolean, isStopped: () => boolean): Promise<MissingResult> {
    const { database, options } = this.#context;
    const { action, accept } = options;
    const { missing, stored } = await this.#find();
    const result = { action, missing: missing.length, examples: missing.slice(0, MAX_EXAMPLES) };
    const guarded = { listed: this.#listed.size, doubt: this.#doubt(), stored, ending: missing.length };
    const refused = accept ? null : refuseEnding(guarded);
    if (refused !== null) return { ...result, ended: 0, refused };
    let ended = 0;
    for (let from = 0; from < missing.length && !isStopped(); from += BATCH) {
      const keys = missing.slice(from, from + BATCH);
      ended += await database.transaction((tx) => this.#endBatch(tx, keys, quiet), { timeout: 0 });
    }
    return { ...result, ended, refused };
  }

  #doubt(): string | null {
    if (this.#isLastBroken) return 'its last row is broken';
    if (this.#withoutKey === 0) return null;
    return this.#withoutKey === 1
      ? 'a row has no readable key'
      : `${this.#withoutKey} rows have no readable key`;
  }

  async #find(): Promise<{ missing: string[]; stored: number }> {
    const { database, map, options } = this.#context;
    const { from } = ACTIONS[options.action];
    const missing: string[] = [];
    let [stored, after] = [0, ''];
    for (;;) {
      const keys = await database.read((sql) => findKeys(sql, map.source.id, from, after, PAGE), {
        timeout: 0,
      });
      for (const key of keys) if (!this.#listed.has(digestOf(key))) missing.push(key);
      stored += keys.length;
      const last = keys.at(-1);
      if (last === undefined || keys.length < PAGE) return { missing, stored };
      after = last;
    }
  }

  async #endBatch(tx: Transaction, keys: readonly string[], quiet: boolean): Promise<number> {
    const { catalogue, database, map, options } = this.#context;
    const { to } = ACTIONS[options.action];
    const { removed } = await catalogue.write(tx, map.source.id, [], database.clock.now(), keys, quiet, to);
    return removed;
  }
}

const digestOf = (key: string): number => hash('md5', key, 'buffer').readUIntBE(0, 6);
