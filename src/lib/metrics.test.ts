// Proves that measurements are written as Prometheus reads them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

test('durations fall into the bucket of their bound, and buckets add up', async () => {
  const metrics = createMetrics();
  const durations = metrics.durations('wait_seconds', 'Waiting.', ['route', 'status']);
  const observed = durations.labels({ route: '/v1/"x"', status: '200' });
  for (const seconds of [0.0005, 0.001, 0.0011, 9.9, 60]) observed.observe(seconds);
  durations.labels({ route: '/other', status: '404' }).observe(1);
  const { text, contentType } = await metrics.read();
  assert.match(contentType, /^text\/plain/);
  const lines = text.split('\n');
  assert.ok(lines.includes('# TYPE wait_seconds histogram'));
  const value = (line: string) =>
    Number(lines.find((entry) => entry.startsWith(`${line} `))?.slice(line.length));
  const labels = 'route="/v1/\\"x\\"",status="200"';
  const bucket = (le: string) => value(`wait_seconds_bucket{le="${le}",${labels}}`);
  assert.deepEqual(
    [bucket('0.001'), bucket('0.0025'), bucket('5'), bucket('10'), bucket('+Inf')],
    [2, 3, 3, 4, 5],
  );
  assert.equal(value(`wait_seconds_count{${labels}}`), 5);
  assert.ok(Math.abs(value(`wait_seconds_sum{${labels}}`) - 69.9026) < 1e-9);
  assert.equal(value('wait_seconds_count{route="/other",status="404"}'), 1);
});

test('counters and gauges tell their values, and process figures come only where asked for', async () => {
  const metrics = createMetrics();
  metrics.counter('refused_total', 'Refused.', ['code']).inc({ code: 'A' });
  metrics.gauge('open', 'Open.', () => 7);
  let done = 3;
  metrics.observableCounter('done_total', 'Done.', () => done);
  await metrics.read();
  done = 5;
  const { text } = await metrics.read();
  assert.match(text, /^# TYPE done_total counter\ndone_total 5$/m);
  assert.match(text, /^refused_total\{code="A"\} 1$/m);
  assert.match(text, /^open 7$/m);
  assert.ok(!text.includes('nodejs_eventloop_lag'));
  assert.match((await createMetrics({ withProcess: true }).read()).text, /nodejs_eventloop_lag_seconds/);
});
