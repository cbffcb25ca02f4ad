// Tests of the systemd unit by systemd's own checks. No test here has a running systemd.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { run, withoutPrograms } from '../support/deploy/programs.ts';

const UNIT = readSource('deploy/freehold.service').text;
const skip = withoutPrograms(['systemd-analyze', 'systemd']);

/** Of 10, where 10 is no protection. What docs/production.md says, too. */
const MAX_EXPOSURE = 1.4;

test('systemd finds no fault in the unit', { skip }, async (t) => {
  const file = join(await temporaryFolder(t, 'unit'), 'freehold.service');
  // Its findings are no failure.
  const verify = async (unit: string) => {
    await writeFile(file, unit);
    return run('sh', ['-c', 'systemd-analyze verify --man=no "$1" 2>&1', 'sh', file]);
  };
  // The programs have to be there.
  const unit = UNIT.replaceAll('/opt/freehold', ROOT);
  assert.equal(await verify(unit), '');
  assert.match(await verify(unit.replace('ProtectSystem=', 'ProtectSytem=')), /ProtectSytem/);
});

test('the unit is as protected as docs/production.md says', { skip }, async (t) => {
  const file = join(await temporaryFolder(t, 'unit'), 'freehold.service');
  await writeFile(file, UNIT);
  const report = await run('systemd-analyze', [
    'security',
    '--offline=true',
    `--threshold=${MAX_EXPOSURE * 10}`,
    file,
  ]);
  assert.match(report, /Overall exposure level for freehold\.service: [\d.]+ OK/);
  assert.ok(readSource('docs/production.md').text.includes(`rates it ${MAX_EXPOSURE} of 10`));
});

test('the service gets SIGTERM alone, and as long as it needs to finish its requests', () => {
  assert.match(UNIT, /^KillMode=mixed$/m);
  assert.match(UNIT, /^TimeoutStopSec=30$/m);
});
