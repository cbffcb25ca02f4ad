// Proof of what a service reports of its limits: in its readiness and in its metrics, and without secrets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poll } from '../../support/check/until.ts';
import { startRedis, withoutRedis } from '../../support/limits/redis-server.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const skip = withoutRedis;
const PASSWORD = 'rosebud-2718';

async function readiness({ url }: TestService) {
  const answer = await fetch(`${url}/readyz?verbose`);
  const text = await answer.text();
  const { checks } = JSON.parse(text) as {
    checks: {
      readonly name: string;
      readonly required: boolean;
      readonly ok: boolean;
      readonly detail: string;
    }[];
  };
  return { status: answer.status, text, limits: checks.find(({ name }) => name === 'limits') ?? null };
}

/** Looks until the check says something else, while the time of the service goes on. */
function untilReported(service: TestService, detail: RegExp) {
  return poll(`the check says ${detail}`, async () => {
    const found = await readiness(service);
    if (detail.test(found.limits?.detail ?? '')) return found;
    service.clock.advance(250);
    return undefined;
  });
}

/** Values of the metrics of limits, by name with label. */
async function metrics({ url }: TestService): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = [...text.matchAll(/^(freehold_limits_\S+) (\S+)$/gm)];
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]));
}

const MODES = ['shared', 'divided', 'waiting', 'alone'];
const modeIn = (found: ReadonlyMap<string, number>): string[] =>
  MODES.filter((mode) => found.get(`freehold_limits_mode{mode="${mode}"}`) === 1);

test('a service without LIMITS_URL counts alone, which is no check', async (t) => {
  const service = await startService(t);
  const { status, limits } = await readiness(service);
  assert.deepEqual([status, limits], [200, null]);
  const found = await metrics(service);
  assert.deepEqual(modeIn(found), ['alone']);
  assert.equal(found.get('freehold_limits_losses_total'), 0);
  assert.equal(found.get('freehold_limits_slow_calls_total'), 0);
  assert.ok(![...found.keys()].some((name) => name.startsWith('freehold_limits_call_duration')));
});

test('a service reports that the server counts for all, and that it has lost it, and is ready', {
  skip,
}, async (t) => {
  const redis = await startRedis(t);
  const service = await startService(t, { environment: { LIMITS_URL: redis.url } });
  const shared = await untilReported(service, /^counted over all processes \(1\)$/);
  assert.deepEqual([shared.status, shared.limits?.ok, shared.limits?.required], [200, true, false]);
  await service.json('/v1/areas?limit=1', service.keys.free);
  const counted = await metrics(service);
  assert.deepEqual(modeIn(counted), ['shared']);
  const calls = (call: string) => counted.get(`freehold_limits_call_duration_seconds_count{call="${call}"}`);
  assert.equal(calls('take'), 1, 'one request was counted');
  assert.ok((calls('open') ?? 0) >= 16 && (calls('check') ?? 0) >= 16);
  await redis.kill();
  const divided = await untilReported(service, /^divided among 1 process: .*ECONNREFUSED/);
  assert.deepEqual([divided.status, divided.limits?.ok, divided.limits?.required], [200, false, false]);
  assert.ok(!divided.text.includes(String(redis.port)), divided.text);
  const found = await metrics(service);
  assert.deepEqual(modeIn(found), ['divided']);
  assert.ok((found.get('freehold_limits_losses_total') ?? 0) >= 1);
});

test('a service that may admit nothing yet is not ready, and repeats nothing that the server says', {
  skip,
}, async (t) => {
  // It repeats the arguments of commands that it does not know.
  const { port } = await startRedis(t, '--rename-command', 'HELLO', 'HIDDEN');
  const service = await startService(t, {
    environment: { LIMITS_URL: `redis://freehold:${PASSWORD}@127.0.0.1:${port}` },
  });
  const { status, text, limits } = await untilReported(
    service,
    /^waiting: The counting server refused a command \(ERR\)$/,
  );
  assert.deepEqual([status, limits?.ok, limits?.required], [503, false, true]);
  for (const secret of [PASSWORD, String(port)]) assert.ok(!text.includes(secret), text);
  assert.deepEqual(modeIn(await metrics(service)), ['waiting']);
});
