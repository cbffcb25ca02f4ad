// Tests of what each message of the MCP endpoint needs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, SCOPES } from '../access/tiers/tiers.ts';
import type { Access } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import { createGate } from './gate.ts';

const TOOLS: Readonly<Record<string, Access>> = {
  search: { credentials: 'optional', scope: 'listings:read', counts: 'month' },
  live: { credentials: 'required', tier: 'pro', scope: 'listings:live', counts: 'month', stream: true },
};
const READ: Access = { credentials: 'required', scope: 'listings:read', counts: 'month' };
const WATCH: Access = { ...READ, scope: 'watchers' };
const gate = createGate({
  accessOfTool: (name) => TOOLS[name],
  accessOfResource: (uri) => (uri.startsWith('watcher:') ? WATCH : uri.startsWith('listing:') ? READ : null),
});
const caller = { tier: 'pro' } as Principal;
const access = (method: string, params: object = {}) =>
  gate.access({ jsonrpc: '2.0', id: 1, method, params }, caller);

const OWN = { credentials: 'required', resource: '/mcp', challengeScope: Object.keys(SCOPES).join(' ') };

test('a call needs credentials, the scope of its route, and counts as its route, whatever tier that needs', () => {
  assert.deepEqual(access('tools/call', { name: 'search' }), {
    ...OWN,
    scope: 'listings:read',
    counts: 'month',
  });
  assert.deepEqual(access('tools/call', { name: 'live' }), {
    ...OWN,
    scope: 'listings:live',
    counts: 'month',
    stream: true,
  });
});

test('a caller whose tier is too low takes no place of a stream, since the tool refuses the call', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'live' } };
  assert.equal(gate.access(message, { tier: 'free' } as Principal).stream, undefined);
});

test('reading and following a resource needs the scope of its route', () => {
  assert.equal(access('resources/read', { uri: 'watcher://a' }).scope, 'watchers');
  assert.equal(access('resources/read', { uri: 'listing://a' }).counts, 'month');
  const listen = (...resourceSubscriptions: string[]) =>
    access('subscriptions/listen', { notifications: { resourceSubscriptions } });
  assert.equal(listen('listing://a').scope, 'listings:read');
  assert.equal(listen('listing://a', 'watcher://a').scope, 'watchers');
  assert.equal(listen().scope, undefined);
});

test('what does no work counts for the minute alone, and needs no scope', () => {
  const others = [
    access('tools/list'),
    access('tools/call', { name: 'none' }),
    access('resources/read', { uri: 'x' }),
  ];
  const response = gate.access({ jsonrpc: '2.0', id: 1, result: {} }, caller);
  for (const each of [...others, response]) assert.deepEqual(each, { ...OWN, counts: 'minute' });
});

test('a batch is refused, since its calls would count once, and so is what is no message', () => {
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search' } }];
  for (const body of [batch, 'text', { id: 1, result: {} }])
    assert.throws(
      () => gate.access(body, caller),
      (error) => error instanceof Problem && error.code === 'INVALID_REQUEST',
    );
});

test('limits are told by the tool that was called, and by HTTP for anything else', () => {
  const limit = new Problem('RATE_LIMITED', 'Too many.');
  const call = (name: string) => ({ method: 'tools/call', params: { name } });
  assert.equal(gate.answers(limit, call('search')), true);
  assert.equal(gate.answers(new Problem('DATABASE_UNAVAILABLE', 'Down.'), call('search')), true);
  assert.equal(gate.answers(new Problem('INSUFFICIENT_SCOPE', 'No.'), call('search')), false);
  assert.equal(gate.answers(limit, call('none')), false);
  assert.equal(gate.answers(limit, { method: 'tools/list' }), false);
});
