// Test of a listing stream whose token expires while it runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveError } from '../../../src/sources/source.ts';
import { signIn, statusOf } from '../../support/oauth/oauth.ts';
import { startLive } from '../../support/sources/live-service.ts';

const HOUR = 3_600_000;

test('AT10: a stream ends by itself within its ten seconds, also when its token expires meanwhile', async (t) => {
  const service = await startLive(t);
  const { accessToken } = await signIn(service, { key: service.keys.pro });
  service.clock.advance(HOUR - 1_000);
  const sourceCalled = Promise.withResolvers<void>();
  service.source.beforeFetch = (signal) => {
    sourceCalled.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new LiveError('timeout', 'late'))),
    );
  };
  const streaming = service.stream('a', accessToken);
  await sourceCalled.promise;
  service.clock.advance(2_000);
  assert.equal(await statusOf(service, accessToken), 'EXPIRED_TOKEN');
  service.clock.advance(7_000);
  assert.deepEqual(
    (await streaming).map(({ event }) => event),
    ['cached', 'error', 'done'],
  );
});
