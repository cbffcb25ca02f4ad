// Proof of `freehold billing` beside a running service: what came, in which state, and handled again.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEventJob } from '../../src/billing/event-job.ts';
import { jobOptions, memorySource } from '../support/billing/memory-source.ts';
import { POLAR_SETTINGS } from '../support/billing/signed-events.ts';
import { eventStates, storeEvent } from '../support/billing/stored-events.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const { database, url } = await testDatabase({ after });
const folder = await temporaryFolder({ after }, 'billing');

const run = (args: readonly string[], settings: Readonly<Record<string, string>> = POLAR_SETTINGS) =>
  runCommand(['billing', ...args], { folder, environment: { DATABASE_URL: url, ...settings } });

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run([...args, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

interface ListedEvent {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string | null;
}

const states = ({ events }: { events: readonly ListedEvent[] }) =>
  events.map(({ id, state }) => `${id} ${state}`);

test('events are listed with their state and error, and one is handled again on demand', async (t) => {
  const empty = await run(['events']);
  assert.deepEqual([empty.code, empty.stdout], [0, 'There is none yet.\n']);
  const payments = memorySource();
  payments.failing.add('customer:down');
  const job = startEventJob(jobOptions(database, payments));
  t.after(() => job.stop());
  await storeEvent(database, 'msg_good', ['customer:c']);
  await storeEvent(database, 'msg_down', ['customer:down']);
  await until('one is handled, one has failed', async () =>
    (await eventStates(database)).every(({ attempts }) => attempts > 0),
  );
  assert.deepEqual(states(await json('events')), ['msg_down failing', 'msg_good handled']);
  const waiting = await json<{ events: readonly ListedEvent[] }>('events', '--waiting');
  assert.deepEqual(states(waiting), ['msg_down failing']);
  assert.match(waiting.events[0]?.lastError ?? '', /api\.example answered 503/);
  const { stdout } = await run(['events']);
  assert.match(stdout, /^RECEIVED +STATE +TRIES +TYPE +ID +SUBJECTS +ERROR\n/);
  assert.match(stdout, /handled +1 +customer\.state_changed +msg_good +customer:c\n/);
  const asked = payments.resolved.filter((subject) => subject === 'customer:c').length;
  assert.equal((await json<ListedEvent>('replay', 'msg_good')).state, 'waiting');
  await until('it is handled again', async () =>
    (await eventStates(database)).some(
      ({ id, attempts, isHandled }) => id === 'msg_good' && isHandled && attempts === 2,
    ),
  );
  assert.equal(payments.resolved.filter((subject) => subject === 'customer:c').length, asked + 1);
  const none = await run(['replay', 'msg_none']);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /There is no event msg_none: `freehold billing events` lists/);
});

test('doctor warns of events that have waited for more than ten minutes', async () => {
  const look = async (settings: Readonly<Record<string, string>> = POLAR_SETTINGS) => {
    const environment = { DATABASE_URL: url, PORT: '0', ...settings };
    const { stdout } = await runCommand(['doctor', '--json'], { folder, environment });
    const { findings } = JSON.parse(stdout) as {
      findings: { name: string; state: string; detail: string }[];
    };
    return findings.find(({ name }) => name === 'billing events');
  };
  await database.write((sql) => sql`delete from billing_event`);
  assert.deepEqual((await look())?.detail, 'none waits');
  await storeEvent(database, 'msg_old', ['customer:c']);
  const wait = (seconds: number) =>
    database.write(
      (sql) =>
        sql`update billing_event set received_at = clock_timestamp() - ${seconds}::int * interval '1 second'`,
    );
  await wait(300);
  assert.equal((await look())?.state, 'ok');
  await wait(601);
  const late = await look();
  assert.equal(late?.state, 'warn');
  assert.match(late?.detail ?? '', /^the oldest has waited for 6\d\d seconds$/);
  assert.equal(await look({}), undefined, 'nobody sends events');
});

test('where the service keeps the subscriptions itself, the commands say so', async () => {
  for (const args of [['events'], ['replay', 'msg_1']]) {
    const { code, stdout, stderr } = await run(args, {});
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /There is no payment service: SUBSCRIPTIONS=local/);
  }
});
