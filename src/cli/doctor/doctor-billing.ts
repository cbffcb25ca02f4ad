// Check of `freehold doctor` of the payment service's events: whether what they name is fetched in time.

import { findOldestWaiting } from '../../billing/event-store.ts';
import type { Config } from '../../config.ts';
import { MINUTE } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';

const NAME = 'billing events';
/** Milliseconds: by then every verdict was asked for anew without its event. */
const MAX_WAIT = 10 * MINUTE;

export async function checkBillingEvents({ subscriptions }: Config, database: Database): Promise<Finding[]> {
  if (subscriptions.kind === 'local') return [];
  const { kind } = subscriptions;
  const oldest = await database.read((sql) => findOldestWaiting(sql, kind));
  if (oldest === null) return [ok(NAME, 'none waits')];
  const found = `the oldest has waited for ${Math.ceil(oldest / 1_000)} seconds`;
  if (oldest <= MAX_WAIT) return [ok(NAME, found)];
  return [
    warn(
      NAME,
      found,
      'Start `freehold serve`. If it runs, `freehold billing events --waiting` shows why: nothing is lost, and keys are ' +
        'checked every ten minutes all the same.',
    ),
  ];
}
