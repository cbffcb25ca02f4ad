// Load of a large market that goes on until a test lets it end.

import type { Database } from '../../../src/postgres/client/database.ts';
import { type BaseBuilder, createLocalBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { Gate } from './stage.ts';

/** For `overrides.searchBuilder` of a service, which then fills its engine until the gate is opened. */
export function holdLoad() {
  const gate = new Gate();
  gate.close();
  const searchBuilder = (database: Database): BaseBuilder => {
    const builder = createLocalBuilder(database);
    const closing = new AbortController();
    return {
      ...builder,
      async load(onProgress, signal) {
        onProgress({ rows: 120_000, total: 650_000 });
        await gate.pass(AbortSignal.any([signal, closing.signal]));
        return builder.load(() => {}, signal);
      },
      async close() {
        closing.abort(new Error('closed'));
        await builder.close();
      },
    };
  };
  return { gate, searchBuilder };
}
