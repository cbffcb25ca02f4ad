// Proof that deliveries never reach inward addresses, whatever name servers answer from one question to the next.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWebhookAccess } from '../../../src/watch/webhooks/webhook-access.ts';
import { atEnd } from '../../support/database/database.ts';
import { documentHosts } from '../../support/oauth/document-hosts.ts';
import { tryRebinding } from '../../support/oauth/rebinding.ts';
import { setTripwires } from '../../support/oauth/tripwires.ts';
import { manualClock } from '../../support/service/clock.ts';

test('names that turn inwards lead no delivery there: one lookup a connection, all answers checked, the name kept', async (t) => {
  const { hits, others, onePerConnection, answered, refused, lookups } = await tryRebinding(t, 2_000, 'POST');
  console.log(`${lookups} lookups: ${answered} delivered, ${refused} refused, ${hits} inward`);
  assert.deepEqual({ hits, others, onePerConnection }, { hits: 0, others: [], onePerConnection: true });
  assert.ok(answered > 400 && refused > 400);
});

test('a name that turns inwards after the first delivery is reached by its old connection alone, never by a new one', async (t) => {
  const hosts = await documentHosts(t, '127.0.0.2');
  const host = 'turns.example';
  let connection = 'keep-alive';
  const url = hosts.put('/hook', (_, response) => response.writeHead(200, { connection }).end(), host);
  const tripwires = await setTripwires(t, Number(new URL(url).port));
  const options = { clock: manualClock(), allow: [], ownPorts: () => [], internet: hosts.internet };
  const access = createWebhookAccess(options);
  atEnd(t, () => access.close());
  const deliver = () =>
    access
      .outbound({ url, isInner: false })
      .post({ url, headers: {}, body: '{}', deadlineMs: 15_000, maxBytes: 1_000 })
      .then(
        ({ status }) => String(status),
        (error: { kind?: string }) => error.kind ?? String(error),
      );
  assert.equal(await deliver(), '200');
  // A connection is used again once the turn has ended in which its answer came.
  await nextTurn();
  await nextTurn();
  hosts.answers.set(host, ['127.0.0.1']);
  // The kept connection leads where it was checked to lead, without another question; then it ends.
  connection = 'close';
  assert.equal(await deliver(), '200');
  assert.deepEqual(hosts.lookups, [host]);
  for (const inward of ['127.0.0.1', '::1', '169.254.169.254', '::ffff:127.0.0.1']) {
    hosts.answers.set(host, [inward]);
    assert.equal(await deliver(), 'forbidden_address', inward);
  }
  assert.equal(hosts.lookups.length, 5);
  assert.equal(hosts.hits.length, 2);
  assert.deepEqual(tripwires.hits, []);
});
