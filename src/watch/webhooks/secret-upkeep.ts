// Upkeep of sealed secrets: after a change of SECRETS_KEY each is sealed again, and those that no key opens are reported.

import { type Clock, HOUR } from '../../lib/clock.ts';
import { CannotOpen, type Keyring, keyIdOf } from '../../lib/keyring.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../../postgres/client/database.ts';
import { readSealed, type SealedWebhook, updateSealed } from './sealed-store.ts';

export interface SealingOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Null: nothing is sealed. */
  readonly keyring: Keyring | null;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

export function startSealing({ database, clock, keyring, report }: SealingOptions): PeriodicWork {
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    async work() {
      const closed = keyring === null ? 0 : await resealAll(database, keyring);
      if (closed > 0)
        throw new Error(
          `The secrets of ${closed} webhooks were sealed with another key than SECRETS_KEY; their deliveries wait`,
        );
    },
  });
}

/** Seals with the first key what another one of the ring has sealed; gives how many webhooks no key opens. */
async function resealAll(database: Database, keyring: Keyring): Promise<number> {
  let closed = 0;
  for await (const page of readSealed(database))
    for (const webhook of page) {
      const opened = openWebhook(keyring, webhook);
      if (opened === null) closed += 1;
      else if (opened.isOutdated) {
        const seal = (secret: Buffer) => keyring.seal(secret, webhook.watcherId);
        const { secret, previousSecret } = opened;
        const after = {
          ...webhook,
          secret: seal(secret),
          previousSecret: previousSecret && seal(previousSecret),
        };
        await database.write((sql) => updateSealed(sql, webhook, after));
      }
    }
  return closed;
}

interface OpenedWebhook {
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  /** Whether another key than the first has sealed one of them. */
  readonly isOutdated: boolean;
}

/** The secrets of a webhook; null: no key opens them. */
export function openWebhook(keyring: Keyring, webhook: SealedWebhook): OpenedWebhook | null {
  const { watcherId, secret, previousSecret } = webhook;
  const sealed = [secret, ...(previousSecret === null ? [] : [previousSecret])];
  try {
    return {
      secret: keyring.open(secret, watcherId),
      previousSecret: previousSecret && keyring.open(previousSecret, watcherId),
      isOutdated: sealed.some((each) => keyIdOf(each) !== keyring.currentKeyId),
    };
  } catch (error) {
    if (error instanceof CannotOpen) return null;
    throw error;
  }
}
