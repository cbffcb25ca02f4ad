// Tests of the processes on one database: who is there, who is gone, and who must not be there together.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { joinNodes } from '../../src/nodes/node.ts';
import { findNodes, writeNode } from '../../src/nodes/node-store.ts';
import { WorkLease } from '../../src/postgres/leases/work-lease.ts';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { readyUrl, runCommand, startCli } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';

const at = { after };
const { database, url } = await testDatabase(at);
const folder = await temporaryFolder(at, 'nodes');
const environment = { DATABASE_URL: url };
const clock = manualClock();
const waits: string[] = [];

const join = async (name: string, source: string) => {
  const facts = { name, version: '1.2.3', source };
  const report = (error: unknown) => assert.fail(String(error));
  const node = await joinNodes({ database, clock, facts, report, onWait: (why) => waits.push(why) });
  atEnd(at, () => node.stop());
  return node;
};

const find = async (name: string) =>
  (await database.read(findNodes)).find((node) => node.name === name) ?? null;

/** What a process that was killed leaves behind. */
const leaveBehind = (name: string) =>
  database.write((sql) =>
    writeNode(sql, { name, version: '1.2.3', source: 'sample', searchState: 'ready', searchLagMs: 0 }),
  );

/** Lets a process look as if it had not been seen for so long. */
const age = (name: string, interval: string) =>
  database.write(
    (sql) => sql`update node set seen_at = seen_at - ${interval}::interval where name = ${name}`,
  );

/** Waits for what a process that joins waits for. */
async function settled<T>(joining: Promise<T>): Promise<T> {
  let isOver = false;
  const over = joining.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  await until('it has joined or given up', () => {
    if (!isOver) clock.advance(500);
    return isOver;
  });
  return over;
}

test('a process is seen while it runs, with what it says of its searches, and not once it has left', async () => {
  const node = await join('one:1', 'reso');
  assert.deepEqual([(await find('one:1'))?.searchState, (await find('one:1'))?.isAlive], ['starting', true]);
  node.describe(() => ({ searchState: 'ready', searchLagMs: 12 }));
  await age('one:1', '11 seconds');
  assert.equal((await find('one:1'))?.isAlive, false);
  clock.advance(3_000);
  await until('it is seen again', async () => (await find('one:1'))?.isAlive === true);
  assert.deepEqual((await find('one:1'))?.searchLagMs, 12);
  await node.stop();
  assert.equal(await find('one:1'), null);
});

test('the sample market joins nobody and nobody joins it, until the other is gone', async () => {
  const other = await join('other:1', 'none');
  waits.length = 0;
  await assert.rejects(
    settled(join('sample:1', 'sample')),
    /other:1 serves this database, with SOURCE=none.*Set SOURCE=none/,
  );
  assert.deepEqual(waits, ['Waiting until other:1 is gone, which serves this database']);
  assert.equal(await find('sample:1'), null);
  await other.stop();
  const sample = await join('sample:1', 'sample');
  await assert.rejects(settled(join('other:2', 'reso')), /sample:1 serves the sample market.*SOURCE=reso/);
  await assert.rejects(settled(join('sample:2', 'sample')), /sample:1 serves this database/);
  // One that was killed is waited for; one that is started again under its name is not.
  await sample.stop();
  await leaveBehind('killed:1');
  await age('killed:1', '1 minute');
  const next = await join('sample:2', 'sample');
  await next.stop();
  await database.write((sql) => sql`delete from node`);
  const first = await join('same:1', 'sample');
  const again = await join('same:1', 'sample');
  await first.stop();
  await again.stop();
  await database.write((sql) => sql`delete from node`);
});

test('freehold nodes shows who serves, what each does for all, and who is gone', async (t) => {
  const empty = await runCommand(['nodes'], { folder, environment });
  assert.match(empty.stdout, /No process serves this database/, empty.stderr);
  const run = startCli(t, ['serve'], {
    folder,
    environment: { ...environment, PORT: '0', DATA_DIR: folder },
  });
  await until('it is ready', () => readyUrl(run.stdout()) !== undefined);
  // What this process does, and what the other would.
  await new WorkLease(database, 'ours').acquire();
  await new WorkLease(database, 'theirs').acquire();
  const [serves = assert.fail()] = await database.read(findNodes);
  await database.write(
    (sql) => sql`update work_lease set holder = ${`${serves.name} id`} where name = 'theirs'`,
  );
  await leaveBehind('gone:7');
  await age('gone:7', '5 minutes');
  const { stdout } = await runCommand(['nodes', '--json'], { folder, environment });
  const { nodes } = JSON.parse(stdout) as { nodes: { name: string; isAlive: boolean; leases: string[] }[] };
  const [serving, gone] = nodes;
  assert.equal(serving?.isAlive, true);
  assert.ok(serving.leases.includes('theirs') && !serving.leases.includes('ours'));
  assert.deepEqual([gone?.name, gone?.isAlive, gone?.leases], ['gone:7', false, []]);
  const table = await runCommand(['nodes'], { folder, environment });
  assert.match(table.stdout, /PROCESS +VERSION +SOURCE/);
  assert.match(table.stdout, /gone, \d+ s ago/);
  run.kill('SIGTERM');
  await run.ended;
  const left = await database.read(findNodes);
  assert.deepEqual(
    left.map(({ name }) => name),
    ['gone:7'],
  );
});

test('a process is seen however far its searches are behind', async () => {
  const facts = { name: 'behind:1', version: '1.2.3', source: 'none', searchState: 'ready' };
  await database.write((sql) => writeNode(sql, { ...facts, searchLagMs: 41.25 }));
  assert.equal((await find('behind:1'))?.searchLagMs, 41);
});
