// Builder of bases in this thread, which it holds up: where a thread of its own would not find the database.

import type { Database } from '../../../postgres/client/database.ts';
import type { BaseBuilder } from './base-builder.ts';
import { loadBase, mergedTables, mergeTables } from './build-base.ts';

export function createLocalBuilder(database: Database): BaseBuilder {
  const closing = new AbortController();
  return {
    load: (onProgress, signal) => loadBase(database, onProgress, AbortSignal.any([signal, closing.signal])),
    async merge({ tables }) {
      closing.signal.throwIfAborted();
      return mergeTables(mergedTables(tables));
    },
    async close() {
      closing.abort(new Error('The builder of the search engine was closed'));
    },
  };
}
