// Service with a manual clock in a process of its own; its parent moves the clock by messages.

import { TIERS, type Tiers } from '../../../src/access/tiers/tiers.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { serveGuarded } from '../guard/service.ts';
import { manualClock } from './clock.ts';
import { stubProvider } from './stub-provider.ts';

/** What the process is started with, as JSON in its first argument. */
export interface GuardedProcessOptions {
  readonly databaseUrl: string;
  /** Wall-clock milliseconds at the start. */
  readonly start: number;
  readonly anonymous: Partial<Tiers['anonymous']>;
}

/** From the parent: milliseconds by which time goes on. Answered by `advanced`. */
export interface Advance {
  readonly advance: number;
}

/** To the parent: first where the service listens, then each move of the clock. */
export type GuardedMessage = { readonly port: number } | { readonly advanced: number };

const { databaseUrl, start, anonymous } = JSON.parse(process.argv[2] ?? '{}') as GuardedProcessOptions;
const clock = manualClock(start);
const database = openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 });
// Whatever was to be closed ends with the process.
const { port } = await serveGuarded(
  { after: () => {} },
  {
    ...{ database, clock, provider: stubProvider() },
    tiers: { ...TIERS, anonymous: { ...TIERS.anonymous, ...anonymous } },
  },
);
process.on('message', ({ advance }: Advance) => {
  clock.advance(advance);
  tell({ advanced: advance });
});
process.on('disconnect', () => process.exit(0));
tell({ port });

function tell(message: GuardedMessage): void {
  process.send?.(message);
}
