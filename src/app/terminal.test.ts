// Tests of what a person at a terminal reads: the log and the progress of the first load.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEvery } from '../../test/support/check/every.ts';
import { createLog } from '../lib/log.ts';
import type { Progress } from '../sources/metrics.ts';
import { loadProgress, terminalLine } from './terminal.ts';

const time = '2026-01-05T12:03:04.000Z';

test('a request is one line: what, outcome, time taken, who', () => {
  const entry = {
    level: 'info',
    time,
    method: 'GET',
    url: '/v1/areas?q',
    status: 200,
    ms: 2.6,
    tier: 'pro',
    msg: 'answered',
  };
  assert.equal(terminalLine(JSON.stringify(entry), false), '12:03:04  GET /v1/areas?q  200  3 ms  pro');
});

test('a failure tells its code and its cause, in colour where there is any', () => {
  const entry = { level: 'error', time, msg: 'Failed', err: { message: 'no route to host' } };
  assert.equal(terminalLine(JSON.stringify(entry), false), '12:03:04  Failed  no route to host');
  assert.ok(
    terminalLine(JSON.stringify(entry), true).endsWith('\u001b[31mFailed  no route to host\u001b[0m'),
  );
});

const LOAD: readonly Progress[] = Array.from({ length: 40 }, (_, page) => {
  const records = (page + 1) * 500;
  return { records, total: 20_000, perSecond: 4_000, secondsLeft: Math.ceil((20_000 - records) / 4_000) };
});

function tell(progresses: readonly Progress[], isTTY: { stdout: boolean; stderr: boolean }) {
  const told = { log: [] as string[], terminal: '' };
  const log = createLog({ stream: { write: (line) => told.log.push(line) } });
  const write = (text: string | Uint8Array): boolean => {
    told.terminal += String(text);
    return true;
  };
  const show = loadProgress(log, {
    stdout: { isTTY: isTTY.stdout },
    stderr: { isTTY: isTTY.stderr, write },
  });
  for (const progress of progresses) show(progress);
  return told;
}

test('a piped log has one record for each tenth of the load and nothing is drawn', () => {
  const { log, terminal } = tell(LOAD, { stdout: false, stderr: false });
  assert.equal(terminal, '');
  const records = log.map((line) => JSON.parse(line) as { event: string; records: number; total: number });
  assert.equal(records.length, 11);
  assertEvery(records, ({ event, total }) => event === 'load' && total === 20_000);
  assert.equal(records.at(-1)?.records, 20_000);
});

test('a load whose size nobody knows is told of now and then', () => {
  const unknown = LOAD.map((progress) => ({ ...progress, total: null, secondsLeft: null }));
  assert.equal(tell(unknown, { stdout: false, stderr: false }).log.length, 3);
});

test('a terminal has one line that renews itself, and the log none', () => {
  const { log, terminal } = tell(LOAD, { stdout: true, stderr: true });
  assert.deepEqual(log, []);
  assert.equal(terminal.split('\r').length, LOAD.length + 1);
  assert.equal(terminal.split('\n').length, 2);
});

test('once the load is complete no time is left, and no more is said', () => {
  const last = LOAD.at(-1);
  assert.ok(last !== undefined);
  const { terminal } = tell([...LOAD, last, last], { stdout: true, stderr: true });
  assert.ok(terminal.endsWith('First load: 20,000 of 20,000 listings, 4,000/s\n'));
  assert.ok(!terminal.includes(' 0 s left'));
});
