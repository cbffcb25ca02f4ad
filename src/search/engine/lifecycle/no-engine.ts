// No engine: in its place where PostgreSQL answers all searches.

import type { SearchEngine } from './search-engine.ts';

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
