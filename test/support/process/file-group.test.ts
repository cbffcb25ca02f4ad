// Proof that files which share a process are told apart, and that none can hide what another one does.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../database/database.ts';
import { groupText } from './file-group.ts';

const SOUND = `
  import { after, test } from 'node:test';
  import { setTimeout } from 'node:timers/promises';
  console.log('# loads sound');
  await setTimeout(1);
  after(() => console.log('# ends sound'));
  test('sound', () => LATER);
  const LATER = 1;`;
/** Waits for what does not keep a process alive. */
const QUIET = `
  import { test } from 'node:test';
  test('quiet', () => new Promise((resolve) => void setTimeout(resolve, 20).unref()));`;
const FAILING = `
  import { after, test } from 'node:test';
  console.log('# loads failing');
  after(() => console.log('# ends failing'));
  test('first', async (t) => { await t.test('inner', () => { throw new Error('wrong'); }); });
  test('second', () => {});`;
const BROKEN = `
  import { after } from 'node:test';
  after(() => console.log('# ends broken'));
  throw new Error('cannot be loaded');`;
const LEAVING = `
  import { test } from 'node:test';
  test('leaving', () => { setTimeout(() => { throw new Error('too late'); }, 1); });`;
/** Throws where no test waits for it, beside one that has nothing to do with it. */
const THROWING = `
  import { describe, test } from 'node:test';
  import { setTimeout as pause } from 'node:timers/promises';
  describe('two at once', { concurrency: true }, () => {
    test('calls', () => new Promise(() => { setImmediate(() => { throw new Error('by a callback'); }); }));
    test('rejects', () => new Promise(() => { void pause(2).then(() => { throw new Error('by a promise'); }); }));
    test('beside', () => pause(30));
  });`;

test('files of a process run one after another with hooks of their own, and each that fails is named', async (t) => {
  const folder = await temporaryFolder(t, 'group');
  async function play(files: Readonly<Record<string, string>>) {
    const paths = Object.keys(files).map((name) => join(folder, `${name}.mjs`));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.mjs`), text);
    const group = join(folder, 'group.mjs');
    await writeFile(group, groupText(paths));
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const run = spawnSync(process.execPath, ['--test-reporter=tap', group], { encoding: 'utf8', env });
    const lines = run.stdout.split('\n').map((line) => line.trim());
    return {
      code: run.status,
      said: lines.filter((line) => /^# (?:loads|ends) /.test(line)),
      results: lines
        .filter((line) => /^(?:not )?ok /.test(line))
        .map((line) => line.replace(/ \d+ - .*?([^/]+)$/, ' $1')),
    };
  }
  const sound = await play({ sound: SOUND, again: SOUND });
  assert.deepEqual(sound, {
    code: 0,
    said: ['# loads sound', '# ends sound', '# loads sound', '# ends sound'],
    results: ['ok sound', 'ok sound.mjs', 'ok sound', 'ok again.mjs'],
  });
  const quiet = await play({ quiet: QUIET, idle: QUIET, sound: SOUND });
  assert.equal(quiet.code, 0);
  assert.deepEqual(quiet.results.slice(-2), ['ok sound', 'ok sound.mjs']);
  const mixed = await play({ failing: FAILING, broken: BROKEN, sound: SOUND });
  assert.equal(mixed.code, 1);
  assert.deepEqual(mixed.said, [
    '# loads failing',
    '# ends failing',
    '# ends broken',
    '# loads sound',
    '# ends sound',
  ]);
  assert.deepEqual(mixed.results, [
    'not ok inner',
    'not ok first',
    'ok second',
    'not ok failing.mjs',
    'not ok broken.mjs',
    'ok sound',
    'ok sound.mjs',
  ]);
  const throwing = await play({ throwing: THROWING, sound: SOUND });
  assert.deepEqual(throwing.results, [
    'not ok calls',
    'not ok rejects',
    'ok beside',
    'not ok two at once',
    'not ok throwing.mjs',
    'ok sound',
    'ok sound.mjs',
  ]);
  assert.equal((await play({ leaving: LEAVING, sound: SOUND })).code, 1);
});
