// Options of the search engine: its settings, its builder, and what the log says once it answers.

import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../postgres/client/database.ts';
import { type BaseBuilder, createLocalBuilder } from '../search/engine/segments/build-base.ts';
import { type BuilderTarget, createThreadBuilder } from '../search/engine/segments/builder-thread.ts';
import type { SearchWiring } from './search.ts';

export interface SearchParts {
  readonly config: Pick<Config, 'search' | 'dataDirectory'>;
  readonly database: Database;
  /** Where threads find the database; absent: what they would do is done in this thread. */
  readonly threadTarget?: BuilderTarget;
  readonly log: Pick<Log, 'info'>;
  readonly overrides?: {
    /** Instead of the builder of the search engine. */
    readonly searchBuilder?: (database: Database) => BaseBuilder;
    /** Rows that were added to the search engine before it merges them. */
    readonly maxTail?: NonNullable<SearchWiring['maxTail']>;
  };
}

export const searchOptions = (parts: SearchParts, report: (error: unknown) => void) => ({
  settings: parts.config.search,
  onReady: (rows: number): void =>
    parts.log.info({ event: 'search', rows }, `Searches of ${rows} listings are answered from memory`),
  builder: parts.overrides?.searchBuilder?.(parts.database) ?? searchBuilder(parts, report),
  ...(parts.overrides?.maxTail && { maxTail: parts.overrides.maxTail }),
});

/** Threads find the database by themselves, and keep their segments in the data directory. */
function searchBuilder(
  { config, database, threadTarget: target }: SearchParts,
  report: (error: unknown) => void,
): BaseBuilder {
  if (target === undefined) return createLocalBuilder(database);
  return createThreadBuilder({ target, file: join(config.dataDirectory, 'search-columns'), report });
}
