// Proof of what `freehold doctor` says of the server that counts limits: what it is, why it does not suit, or that it is not there.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { temporaryFolder } from '../support/database/database.ts';
import { startRedis, withoutRedis } from '../support/limits/redis-server.ts';
import { runCommand } from '../support/process/cli.ts';
import { quietPort } from '../support/service/ports.ts';

const skip = withoutRedis;
const folder = await temporaryFolder({ after }, 'doctor');
const PASSWORD = 'rosebud-2718';

async function examine(limitsUrl: string) {
  const environment = { LIMITS_URL: limitsUrl };
  const { stdout } = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(stdout) as {
    findings: {
      readonly name: string;
      readonly state: string;
      readonly detail: string;
      readonly remedy: string | null;
    }[];
  };
  assert.ok(!stdout.includes(PASSWORD), stdout);
  return findings.find(({ name }) => name === 'limits') ?? assert.fail(stdout);
}

test('doctor tells what the server of LIMITS_URL is and how long a round trip takes', { skip }, async (t) => {
  const redis = await startRedis(t);
  const { state, detail } = await examine(redis.url);
  // On a machine that is busy with other tests a round trip may be slow.
  assert.match(state, /^(?:ok|warn)$/, detail);
  const version = /redis_version:(\S+)/.exec(await redis.command('info', 'server'))?.[1] ?? '';
  assert.ok(detail.startsWith(`Redis ${version}, maxmemory-policy noeviction, `), detail);
  assert.match(detail, / \d+\.\d ms a round trip$/);
});

test('doctor fails where the server would drop counts, and says what to set', { skip }, async (t) => {
  const { state, detail, remedy } = await examine(
    (await startRedis(t, '--maxmemory-policy', 'allkeys-lru')).url,
  );
  assert.equal(state, 'fail');
  assert.match(detail, /maxmemory-policy allkeys-lru.*: set maxmemory-policy noeviction/);
  assert.match(remedy ?? '', /refuses to start/);
});

test('doctor fails where there is no server, or it refuses the password, and repeats no secret', {
  skip,
}, async (t) => {
  const gone = await examine(`redis://freehold:${PASSWORD}@127.0.0.1:${await quietPort()}`);
  assert.deepEqual(
    [gone.state, gone.detail],
    ['fail', 'The counting server cannot be reached (ECONNREFUSED)'],
  );
  assert.match(gone.remedy ?? '', /^Check LIMITS_URL/);
  const { port } = await startRedis(t);
  const denied = await examine(`redis://freehold:${PASSWORD}@127.0.0.1:${port}`);
  assert.deepEqual(
    [denied.state, denied.detail],
    ['fail', 'The counting server refused a command (WRONGPASS)'],
  );
});
