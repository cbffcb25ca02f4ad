// Database of a service that has been used: a small market with history, watchers with a webhook, keys, apps and their tokens.

import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { type Session, signIn } from '../oauth/oauth.ts';
import { startService } from '../service/service.ts';
import { sendWatcher } from '../watch/watchers.ts';
import { SECRETS_KEY } from '../watch/webhooks.ts';

/** Tokens are valid at the address that they were issued for. */
export const PUBLIC_URL = 'https://homes.example';

export interface FilledDatabase {
  readonly database: Database;
  readonly databaseUrl: string;
  /** Of the plan Pro, with two watchers. */
  readonly key: string;
  readonly app: Session;
}

/** Fills a database through a service, which is stopped again. Its webhook waits for its first delivery. */
export async function filledDatabase(t: Closing, webhookPort: number): Promise<FilledDatabase> {
  const service = await startService(t, {
    source: 'sample',
    sampleListings: 500,
    environment: {
      PUBLIC_URL,
      SECRETS_KEY,
      WEBHOOK_ALLOW: `127.0.0.1:${webhookPort}`,
      SEARCH_ENGINE: 'postgres',
    },
    overrides: { deliversWebhooks: false },
  });
  const { database, databaseUrl, clock } = service;
  const { key } = await createLocalSubscriptions(database, clock).create({ plan: 'pro', customer: 'acme' });
  const target = { type: 'search', listingType: 'sale', query: {} };
  const delivery = [{ type: 'webhook', url: `http://127.0.0.1:${webhookPort}/hook` }];
  for (const body of [
    { target, delivery },
    { target, cadence: 'daily' },
  ]) {
    const { status, text } = await sendWatcher(service, 'POST', '', { key, body });
    if (status !== 201) throw new Error(text);
  }
  const app = await signIn(service, { key });
  const before = await countChanges(database);
  await service.control('POST', '/control/advance', { steps: 5 });
  clock.advance(20_000);
  await until('changes are read', async () => (await countChanges(database)) > before);
  await service.app.stop();
  return { database, databaseUrl, key, app };
}

async function countChanges(database: Database): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from change`,
  );
  return row?.count ?? 0;
}
