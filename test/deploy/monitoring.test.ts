// Proves that alerts and the dashboard name metrics that exist, and that the alerts are those of docs/operations.md and fire.

import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { startPayingService } from '../support/billing/paying-service.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { run, withoutPrograms } from '../support/deploy/programs.ts';
import { startService } from '../support/service/service.ts';

const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const skip = withoutPrograms(['promtool', 'prometheus']);

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly description: string };
    }[];
  }[];
}

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly query: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const rules = (parse(readSource('deploy/prometheus/freehold-alerts.yml').text) as Rules).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readSource('deploy/grafana/freehold.json').text) as Dashboard;

/** Names of our metrics and those of the process, as an expression has them. */
const namesIn = (expression: string): string[] =>
  expression.match(/\b(?:freehold|process|nodejs)_\w+/g) ?? [];

/** Name -> type of all metrics that a service with a source, webhooks and a payment service has. */
async function existingMetrics(...urls: readonly string[]): Promise<Map<string, string>> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return new Map(
    texts.flatMap((text) =>
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    ),
  );
}

test('every metric that an alert or the dashboard names exists', async (t) => {
  const environment = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
  const { service: paying } = await startPayingService(t, 'stripe', environment);
  const fed = await startService(t, { source: 'sample', environment });
  const metrics = await existingMetrics(paying.url, fed.url);
  assert.ok(metrics.size > 60, `${metrics.size} metrics were found`);
  const exists = (name: string) =>
    metrics.has(name) || metrics.get(name.replace(/_(?:bucket|count|sum)$/, '')) === 'histogram';
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => query),
  ];
  const names = new Set(expressions.flatMap(namesIn));
  assert.ok(names.size > 40, `${names.size} names were found`);
  assert.deepEqual(
    [...names].filter((name) => !exists(name)),
    [],
  );
});

test('every alarm of docs/operations.md is an alert, and each alert says what to do', () => {
  const page = readSource('docs/operations.md').text;
  const rows = page
    .split(/^(?=\| (?:Alarm on|Metric) \| (?:When|Alarm) \|)/m)
    .slice(1)
    .flatMap((table) => [
      ...(/^(?:\|.*\n)+(?:\n\|.*\n(?!\| ?-)(?:\|.*\n)*)?/.exec(table)?.[0] ?? '').matchAll(/^\| (.*?) \|/gm),
    ]);
  const alarmed = new Set(rows.flatMap(([, cell = '']) => namesIn(cell)));
  assert.ok(alarmed.size > 20, `${alarmed.size} metrics with an alarm were found`);
  const known = rules.flatMap(({ expr }) => namesIn(expr)).map((name) => name.replace(/_count$/, ''));
  assert.deepEqual(
    [...alarmed].filter((name) => !known.includes(name)),
    [],
  );
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    assert.match(alert, /^Freehold[A-Z]/);
    assert.match(labels.severity, /^(?:critical|warning)$/);
    assert.ok(annotations.summary.length > 20 && annotations.description.length > 20, alert);
  }
});

test('no two panels of the dashboard overlap, and each asks for something', () => {
  const { panels } = dashboard;
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)}:${y + Math.floor(at / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const silent = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
  assert.deepEqual(silent, []);
});

test('the dashboard shows how the budgets of sources stand, each window by itself', () => {
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  for (const name of ['budget_used', 'budget_left', 'blocked_seconds', 'stopped'])
    assert.ok(
      expressions.some((expression) => namesIn(expression).includes(`freehold_source_${name}`)),
      name,
    );
  for (const expression of expressions.filter((each) => each.includes('freehold_source_budget_')))
    assert.match(expression, /^(?:max|min) by \(source, share, seconds(?:, unit)?\)/);
});

test('Prometheus accepts its configuration and the alerts', { skip }, async (t) => {
  const folder = await temporaryFolder(t, 'prometheus');
  for (const name of ['prometheus.yml', 'freehold-alerts.yml'])
    await copyFile(join(PROMETHEUS, name), join(folder, name));
  await writeFile(join(folder, 'freehold-metrics-token'), 'a-long-random-secret');
  const checked = await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder });
  assert.match(checked, new RegExp(`SUCCESS: ${rules.length} rules found`));
});

test('alerts fire when what they watch goes wrong, and not before', { skip }, async () => {
  await run('promtool', ['test', 'rules', join(ROOT, 'test/deploy/alerts.test.yml')]);
});
