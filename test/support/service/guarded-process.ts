// Service with a manual clock in a process of its own; its parent moves the clock by messages.

import { TIERS, type Tiers } from '../../../src/access/tiers/tiers.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { serveGuarded } from '../guard/service.ts';
import { manualClock } from './clock.ts';
import { followParent } from './clocked-process.ts';
import { stubProvider } from './stub-provider.ts';

/** What the process is started with, as JSON in its first argument. */
export interface GuardedProcessOptions {
  readonly databaseUrl: string;
  /** Wall-clock milliseconds at the start. */
  readonly start: number;
  readonly anonymous: Partial<Tiers['anonymous']>;
}

const { databaseUrl, start, anonymous } = JSON.parse(process.argv[2] ?? '{}') as GuardedProcessOptions;
const clock = manualClock(start);
const database = openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 });
// Whatever was to be closed ends with the process.
const { port } = await serveGuarded(
  { after: () => {} },
  {
    database,
    clock,
    provider: stubProvider(),
    tiers: { ...TIERS, anonymous: { ...TIERS.anonymous, ...anonymous } },
  },
);
followParent(clock, port);
