// Proof that a bought key is bound once, whoever comes first: two processes that use it, an event, and the operator.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import type { StripeChildOptions } from '../../support/billing/stripe/stripe-child.ts';
import { startStripeServer } from '../../support/billing/stripe/stripe-server.ts';
import { beginCheckout, stripeService } from '../../support/billing/stripe/stripe-service.ts';
import { testDatabase } from '../../support/database/database.ts';
import { startProgram } from '../../support/process/children.ts';
import { manualClock } from '../../support/service/clock.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
const clock = manualClock();
const { signal } = new AbortController();
const server = await startStripeServer({ after }, { clock, seed: 7 });
const stripe = stripeService({ after }, { server, database, clock });
const { service, ask } = stripe;
const price = server.account.addPlan('business');

async function keysOf(subscription: string): Promise<readonly { state: string; keyHash: Buffer }[]> {
  const rows = await database.read(
    (sql) => sql<{ state: string; keyHash: Buffer }[]>`
      select state, key_hash as "keyHash" from issued_key where subscription = ${subscription} order by state`,
  );
  return [...rows];
}

/** Two processes that have begun. */
async function startProcesses() {
  const options: StripeChildOptions = {
    databaseUrl,
    server: { url: server.url, secretKey: server.secretKey },
  };
  const children = [1, 2].map(() =>
    startProgram({ after }, 'billing/stripe/stripe-child.ts', [JSON.stringify(options)]),
  );
  for (const child of children) assert.equal(await child.line(), 'ready');
  return children;
}

test('a key that two processes use while an event tells of it is bound once, and works in both', async () => {
  const children = await startProcesses();
  for (let round = 0; round < 40; round++) {
    const { key, session } = await beginCheckout(stripe, price);
    const { id } = server.account.complete(session);
    for (const child of children) child.tell(key);
    const [references, ...used] = await Promise.all([
      ask(() =>
        service.resolveSubject(round % 2 === 0 ? `checkout:${session}` : `subscription:${id}`, signal),
      ),
      ...children.map((child) => child.line()),
    ]);
    assert.deepEqual([references, used], [[id], [id, id]]);
    assert.deepEqual(await keysOf(id), [{ state: 'active', keyHash: keyHash(key) }]);
  }
});

test('of a key that is bound and keys that the operator issues at once, one is active and none is lost', async () => {
  server.faults = false; // Whoever loses a race must not need to ask again.
  for (let round = 0; round < 30; round++) {
    const { key, session } = await beginCheckout(stripe, price);
    const { id } = server.account.complete(session);
    const issue = () => service.issueKey(id, signal);
    const [, first, second] = await Promise.all([service.findKey(key, signal), issue(), issue()]);
    if (typeof first === 'string' || typeof second === 'string') return assert.fail('not issued');
    // The answer to the first use may have been given before; this one is asked when all is decided.
    const found = await ask(() => service.find(id, signal));
    const rows = await keysOf(id);
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['active', 'ended', 'ended'],
    );
    const [active] = rows;
    assert.deepEqual(found?.keyHash, active?.keyHash);
    assert.notDeepEqual(active?.keyHash, keyHash(key), 'the operator comes after the purchase');
  }
});
