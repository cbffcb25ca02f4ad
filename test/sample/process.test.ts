// Proves how the sample's process begins, ends and remembers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type SampleProcess, startSample } from '../support/sample/process.ts';

const directory = await mkdtemp(join(tmpdir(), 'sample-'));
after(() => rm(directory, { recursive: true }));

const FIELDS = 'ListingKey,StandardStatus,ListPrice,PhotosCount,City,ModificationTimestamp,PublicRemarks';

async function contents(sample: SampleProcess): Promise<unknown> {
  const response = await sample.get(`/odata/Property?$select=${FIELDS}`, {
    Prefer: 'odata.maxpagesize=1000',
  });
  return ((await response.json()) as { value: unknown }).value;
}

test('the process ends by itself, in good order, when its standard input closes', async () => {
  const sample = await startSample();
  assert.equal(await sample.stop(), 0);
});

test('the process ends in good order on SIGTERM', async () => {
  const sample = await startSample();
  const ended = once(sample.child, 'close');
  sample.child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('a restart with the state file finds the same market, and it goes on', async () => {
  const state = join(directory, 'state.json');
  const before = await startSample('--state', state);
  await before.control('POST', 'advance', { steps: 7 });
  const [row] = (await contents(before)) as { ListingKey: string }[];
  await before.control('POST', 'change', {
    key: row?.ListingKey,
    set: { City: 'Elsewhere', ListPrice: 77_000 },
  });
  await before.control('POST', 'advance', { steps: 4 });
  await before.control('POST', 'remove', { key: 'CSL10000070' });
  const remembered = await contents(before);
  await before.stop();
  const again = await startSample('--state', state);
  assert.deepEqual(await contents(again), remembered);
  assert.deepEqual(again.complaints, []);
  const { body } = await again.control('POST', 'advance', { steps: 1 });
  assert.equal((body as { steps: number }).steps, 12);
  await again.stop();
  assert.deepEqual(await readdir(directory), ['state.json']);
});

test('a state file of another market, or of no market at all, is replaced, and that is said', async () => {
  const state = join(directory, 'other.json');
  for (const [seed, text] of [
    ['one', null],
    ['two', null],
    ['two', '{"version":1,'],
    ['two', '{"version":9}'],
  ] as const) {
    if (text !== null) await writeFile(state, text);
    const sample = await startSample('--state', state, '--seed', seed);
    assert.equal(sample.complaints.length, seed === 'one' ? 0 : 1);
    assert.equal(JSON.parse(await readFile(state, 'utf8')).seed, seed);
    await sample.stop();
  }
});

test('an option out of range ends the process with a word on why', async () => {
  for (const [option, value] of [
    ['--listings', '499'],
    ['--listings', '20001'],
    ['--interval', '-1'],
    ['--enums', 'french'],
    ['--colour', 'red'],
  ] as const) {
    await assert.rejects(startSample(option, value), new RegExp(option));
  }
});
