// Tests of what `freehold nodes` says of how each process counts limits.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { changeState, writeReport } from '../../src/access/limits/shared/phase-store.ts';
import type { LimitsReport, LimitsState } from '../../src/access/limits/shared/phases.ts';
import { writeNode } from '../../src/nodes/node-store.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const { database, url } = await testDatabase({ after });
const folder = await temporaryFolder({ after }, 'nodes');
const environment = { DATABASE_URL: url };

beforeEach(async () => {
  await database.write((sql) => sql`delete from node`);
  await database.write((sql) => sql`delete from limits_node`);
});

/** A process that started so long ago. It was seen in an hour from now, so that a slow test does not lose it. */
async function addNode(name: string, age: string): Promise<void> {
  const facts = { name, version: '1.2.3', source: 'none', searchState: 'ready', searchLagMs: 0 };
  await database.write((sql) => writeNode(sql, facts));
  await database.write(
    (sql) =>
      sql`update node set started_at = now() - ${age}::interval, seen_at = now() + interval '1 hour' where name = ${name}`,
  );
}

/** The report of a run of a process, which was seen so long ago. */
async function addReport(name: string, report: LimitsReport, unseen = '-1 hour', run = 'a'): Promise<void> {
  const id = `${name} ${run}`;
  await database.transaction((tx) => writeReport(tx, id, report));
  await database.write(
    (sql) => sql`update limits_node set seen_at = now() - ${unseen}::interval where id = ${id}`,
  );
}

const setState = (state: LimitsState) => database.transaction((tx) => changeState(tx, state));

async function shown(): Promise<Record<string, string | null>> {
  const { stdout, stderr } = await runCommand(['nodes', '--json'], { folder, environment });
  assert.equal(stderr, '');
  const { nodes } = JSON.parse(stdout) as { nodes: { name: string; limits: string | null }[] };
  return Object.fromEntries(nodes.map(({ name, limits }) => [name, limits]));
}

test('while the server counts for all, processes without it count alone', async () => {
  await setState({ epoch: 3, phase: 'shared', nodes: 2 });
  for (const name of ['host:1', 'host:2', 'host:3', 'host:4', 'host:12']) await addNode(name, '5 minutes');
  await addReport('host:1', { epoch: 3, step: 'shared', isLost: false });
  // It has just lost the server, and the others do not know yet.
  await addReport('host:2', { epoch: 3, step: 'shared', isLost: true });
  // A run of before under the same name, and one that is gone.
  await addReport('host:3', { epoch: 3, step: 'shared', isLost: false }, '6 minutes');
  await addReport('host:4', { epoch: 3, step: 'shared', isLost: false }, '4 minutes');
  await database.write(
    (sql) => sql`update node set seen_at = now() - interval '4 minutes' where name = 'host:4'`,
  );
  assert.deepEqual(await shown(), {
    'host:1': 'shared',
    'host:2': 'divided',
    'host:3': 'alone',
    'host:4': null,
    'host:12': 'alone',
  });
  const { stdout } = await runCommand(['nodes'], { folder, environment });
  const columns = stdout.split('\n').map((line) => line.trim().split(/ {2,}/).slice(-2));
  assert.deepEqual(columns[0], ['LIMITS', 'WORK']);
  assert.deepEqual(
    columns
      .slice(1, 6)
      .map(([limits]) => limits)
      .toSorted(),
    ['-', 'alone', 'alone', 'divided', 'shared'],
  );
});

test('during a loss all divide, but for those that started meanwhile and those that do not reach the database', async () => {
  await setState({ epoch: 4, phase: 'divided', nodes: 3 });
  const divides = { epoch: 4, step: 'divided', isLost: false } as const;
  for (const [name, age] of [
    ['old:1', '5 minutes'],
    ['new:1', '30 seconds'],
    ['silent:1', '5 minutes'],
  ] as const)
    await addNode(name, age);
  await addReport('old:1', divides);
  await addReport('old:1', { epoch: 3, step: 'shared', isLost: false }, '1 minute', 'before');
  await addReport('new:1', divides);
  await addReport('silent:1', divides, '20 seconds');
  assert.deepEqual(await shown(), { 'old:1': 'divided', 'new:1': 'waiting', 'silent:1': 'waiting' });
});
