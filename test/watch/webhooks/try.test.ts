// Proves what a new user does: create a webhook, see events of the sample market arrive, be away, come back, rotate the secret.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../support/check/until.ts';
import { readSource } from '../../support/code/source-files.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../../support/process/shell-blocks.ts';
import { startService } from '../../support/service/service.ts';
import { SECRETS_KEY } from '../../support/watch/webhooks.ts';
import { ok, startReceiver } from '../../support/webhooks/receiver.ts';

/** The commands of docs/watchers.md: one that creates a watcher with a webhook, and those for later. */
const [CREATE = '', LATER = ''] = shellBlocks(
  readSource('docs/watchers.md').text.split('## Webhooks')[1] ?? '',
);

test('whoever creates a webhook gets its test, then what happens; what happens while the receiver is away follows in order', async (t) => {
  const receiver = await startReceiver(t);
  const service = await startService(t, {
    source: 'sample',
    environment: { SAMPLE_INTERVAL: '60', SECRETS_KEY, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` },
  });
  const folder = await temporaryFolder(t, 'webhooks');
  await writeKeys(folder, service.keys);
  // A receiver verifies with a secret that it learns from the answer: what comes before is refused, and comes again.
  const [created = ''] = await follow(
    [CREATE.replace(/http:[^"]*\/hook/, `${receiver.url}/hook`)],
    folder,
    service.url,
  );
  const { id, delivery } = JSON.parse(created) as {
    id: string;
    delivery: { secret: string; status: string }[];
  };
  assert.match(id, /^wat_/);
  receiver.secrets.set('', delivery[0]?.secret ?? '');
  /** Pauses pass at once; an attempt that is under way is left alone. */
  const toNextAttempt = async () => {
    const [row] = await service.database.read(
      (sql) => sql<{ at: string | null; isClaimed: boolean }[]>`
        select due_at as at, claim is not null as "isClaimed" from webhook where watcher_id = ${id}`,
    );
    const pause = Date.parse(row?.at ?? '') - service.clock.now();
    if (row?.isClaimed === false && pause > 0) service.clock.advance(pause);
    return row?.isClaimed === false && !(pause <= 0);
  };
  const advance = async () => {
    await service.control('POST', '/control/advance', { steps: 1 });
    await until('nothing is under way', toNextAttempt);
    service.clock.advance(5_000);
  };
  const readStatus = async () => {
    const watcher: { delivery: { status: string }[] } = await service.json(
      `/v1/watchers/${id}`,
      service.keys.pro,
    );
    return watcher.delivery[0]?.status;
  };
  await until('the test has arrived', async () => {
    await toNextAttempt();
    return (await readStatus()) === 'active';
  });
  await until('an event has arrived', async () => {
    await advance();
    return receiver.arrivals.some(({ event }) => event.type !== 'watcher.test');
  });
  // Away: the receiver answers 503 to everything.
  receiver.answer = (_, response) => void response.writeHead(503).end();
  const eventsOf = async () => {
    const page: { data: { id: string; type: string }[] } = await service.json(
      `/v1/watchers/${id}/events?limit=100`,
      service.keys.pro,
    );
    return page.data.filter(({ type }) => type !== 'watcher.test').map((event) => event.id);
  };
  const before = (await eventsOf()).length;
  const setting = CREATE.split('\n').slice(0, 2).join('\n');
  const later = `${setting}\n${LATER.replace(/wat_\w+/, id)}`;
  const [rotated = ''] = await follow([later], folder, service.url);
  const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(rotated) ?? [];
  assert.notEqual(secret, delivery[0]?.secret);
  await until('five events are missed', async () => {
    await advance();
    return (await eventsOf()).length >= before + 5;
  });
  // Back, with the new secret alone.
  receiver.answer = ok;
  receiver.secrets.set('', secret);
  const [missed, arrived] = [await eventsOf(), new Set<string>()];
  await until('all have arrived', async () => {
    await toNextAttempt();
    for (const arrival of receiver.arrivals) arrived.add(arrival.id);
    return missed.every((event) => arrived.has(event));
  });
  const order = [...new Set(receiver.arrivals.map((arrival) => arrival.id))].filter((event) =>
    missed.includes(event),
  );
  assert.deepEqual(order, missed);
});
