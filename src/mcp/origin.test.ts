// Tests of which pages may call the MCP endpoint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { createOriginCheck } from './origin.ts';

function isRefused(publicUrl: string, headers: Readonly<Record<string, string>>): boolean {
  try {
    createOriginCheck(publicUrl)(headers);
    return false;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'ORIGIN_NOT_ALLOWED');
    return true;
  }
}

const LOCAL = 'http://127.0.0.1:8080';
const PUBLIC = 'https://homes.example';

test('a service on this machine answers programs, and pages of this machine alone', () => {
  const host = '127.0.0.1:8080';
  for (const origin of ['http://localhost:6274', 'http://127.0.0.1:8080', 'https://[::1]:1'])
    assert.equal(isRefused(LOCAL, { host, origin }), false, origin);
  assert.equal(isRefused(LOCAL, { host }), false);
  for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null', 'file://', '', 'x'])
    assert.equal(isRefused(LOCAL, { host, origin }), true, origin);
});

test('a service on this machine answers under names of this machine alone, so that no name is rebound to it', () => {
  for (const host of ['127.0.0.1:8080', 'localhost', 'localhost:1', '[::1]:8080'])
    assert.equal(isRefused(LOCAL, { host }), false, host);
  for (const host of [
    'evil.example',
    'localhost.evil.example:8080',
    '127.0.0.1.evil.example',
    '192.168.0.1',
    '',
  ])
    assert.equal(isRefused(LOCAL, { host }), true, host);
});

test('a public service answers pages of any https origin and of this machine, whatever its name', () => {
  for (const origin of ['https://claude.ai', PUBLIC, 'http://localhost:6274'])
    assert.equal(isRefused(PUBLIC, { host: 'inner.example', origin }), false, origin);
  for (const origin of ['http://evil.example', 'null', 'ftp://x', ''])
    assert.equal(isRefused(PUBLIC, { host: 'homes.example', origin }), true, origin);
});
