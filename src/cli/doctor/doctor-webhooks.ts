// Check of `freehold doctor` of webhooks: their states, and whether the key opens their secrets.

import { findSecretsKey } from '../../app/secrets-key.ts';
import type { Config } from '../../config.ts';
import { Keyring, parseKeys } from '../../lib/keyring.ts';
import type { Database } from '../../postgres/client/database.ts';
import { readSealed } from '../../watch/webhooks/sealed-store.ts';
import { openWebhook } from '../../watch/webhooks/secret-upkeep.ts';
import { count } from '../output.ts';
import { type Finding, fail, messageOf, ok, warn } from './doctor-checks.ts';

const NAME = 'webhooks';

/** What the database holds, and how the keys fit it. */
interface WebhookCounts {
  readonly all: number;
  readonly byStatus: ReadonlyMap<string, number>;
  /** Sealed with a key that is not there. */
  readonly closed: number;
  /** Sealed with the second key. */
  readonly outdated: number;
}

export async function checkWebhooks(config: Config, database: Database): Promise<Finding> {
  let key: string | null;
  try {
    key = await findSecretsKey(config);
  } catch (error) {
    return fail(NAME, messageOf(error), 'Until then deliveries wait; nothing is lost.');
  }
  const { all, byStatus, closed, outdated } = await countWebhooks(database, key);
  if (all === 0 && key === null && config.databaseUrl !== null)
    return ok(NAME, 'none; without SECRETS_KEY none can be created');
  if (key === null && all > 0)
    return fail(
      NAME,
      `${count(all)}, but there is no key for their secrets`,
      'Set SECRETS_KEY to the key of before, or restore secrets.key: it belongs to the backup. Deliveries wait meanwhile.',
    );
  if (closed > 0)
    return fail(
      NAME,
      `the secrets of ${count(closed)} of ${count(all)} were sealed with another key`,
      'Set SECRETS_KEY to the key of before, or to both keys, separated by a comma. Deliveries wait meanwhile.',
    );
  if (outdated > 0)
    return warn(
      NAME,
      `the secrets of ${count(outdated)} of ${count(all)} are sealed with the second key of SECRETS_KEY`,
      'Keep both keys: a running service seals them with the first one within an hour.',
    );
  const states = [...byStatus].toSorted().map(([status, number]) => `${count(number)} ${status}`);
  return ok(NAME, all === 0 ? 'none' : states.join(', '));
}

async function countWebhooks(database: Database, key: string | null): Promise<WebhookCounts> {
  const keyring = key === null ? null : new Keyring(parseKeys(key));
  const byStatus = new Map<string, number>();
  let [all, closed, outdated] = [0, 0, 0];
  for await (const page of readSealed(database))
    for (const webhook of page) {
      const opened = keyring && openWebhook(keyring, webhook);
      all += 1;
      if (opened === null) closed += 1;
      else if (opened.isOutdated) outdated += 1;
      byStatus.set(webhook.status, (byStatus.get(webhook.status) ?? 0) + 1);
    }
  return { all, byStatus, closed, outdated };
}
