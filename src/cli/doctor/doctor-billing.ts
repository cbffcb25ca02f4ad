// Checks of `freehold doctor` of billing: whether what events name is fetched in time, and all subscriptions fit into a list.

import { callLimitsOf } from '../../billing/call-budget.ts';
import { findOldestWaiting } from '../../billing/event-store.ts';
import { countRows } from '../../billing/mirror-store.ts';
import { CALLS_PER_HUNDRED, maxListed } from '../../billing/subscription-list.ts';
import type { Config } from '../../config.ts';
import { MINUTE } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { count } from '../output.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';

const NAME = 'billing events';
/** Milliseconds: by then every subscription in use was asked about without its event. */
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

/** Whether lists of all subscriptions are made: one with more than fit would take too long. */
export async function checkSubscriptionList(
  { subscriptions }: Config,
  database: Database,
): Promise<Finding[]> {
  if (subscriptions.kind === 'local') return [];
  const { kind, apiUrl } = subscriptions;
  const { listed } = await database.read((sql) => countRows(sql, kind));
  const max = maxListed(callLimitsOf(kind, apiUrl), CALLS_PER_HUNDRED[kind]);
  const found = `${count(listed)} of ${count(max)} that fit into a list`;
  if (listed <= max) return [ok('subscription lists', found)];
  return [
    warn(
      'subscription lists',
      found,
      'No list is made: each key in use is asked about by itself. That is right, and takes calls that connected apps need too.',
    ),
  ];
}
