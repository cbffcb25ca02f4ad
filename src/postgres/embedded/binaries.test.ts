// Proof that a system without the embedded PostgreSQL is answered with the reason and the remedy.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packagedBinaries } from './binaries.ts';

const linux = { platform: 'linux', architecture: 'x64', usesGlibc: true };

for (const [what, system, reason] of [
  [
    'Windows',
    { platform: 'win32', architecture: 'x64', usesGlibc: false },
    /no embedded PostgreSQL for this platform \(win32-x64\)/,
  ],
  ['another processor', { ...linux, architecture: 'riscv64' }, /for this platform \(linux-riscv64\)/],
  ['musl', { ...linux, usesGlibc: false }, /needs glibc/],
] as const)
  test(`${what} has no embedded PostgreSQL, which names DATABASE_URL as the way out`, () => {
    assert.throws(() => packagedBinaries(system), reason);
    assert.throws(
      () => packagedBinaries(system),
      /: set DATABASE_URL to a PostgreSQL server, version 15 or newer\.$/,
    );
  });

test('this system is known, and its programs are found where npm installed them', () => {
  assert.ok(existsSync(join(packagedBinaries(), 'bin', 'postgres')));
});
