// Tests of the charts: what is drawn for given figures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barChart } from './bar-chart.ts';
import { CHART_STYLE } from './chart-style.ts';
import { histogram } from './histogram.ts';
import { lineChart } from './line-chart.ts';
import { monthTicks } from './months.ts';
import { cellBar, sparkline } from './sparkline.ts';
import { stepChart } from './step-chart.ts';

const months = Array.from({ length: 24 }, (_, at) => {
  const month = 10 + at;
  return `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
});
const formatTick = (value: number) => `$${value}`;
const count = (text: string, part: string) => text.split(part).length - 1;

test('months have the year instead of January, and half of the labels are for narrow screens', () => {
  const ticks = monthTicks(months, 12);
  assert.deepEqual(
    ticks.map(({ label }) => label),
    ['2025', 'Apr', 'Jul', 'Oct', '2026', 'Apr', 'Jul', 'Oct'],
  );
  assert.deepEqual(
    ticks.filter(({ isMain }) => isMain).map(({ label }) => label),
    ['2025', 'Jul', '2026', 'Jul'],
  );
  assert.deepEqual(
    monthTicks(months, 4).map(({ label }) => label),
    ['2025', 'Jul', '2026', 'Jul'],
  );
});

test('a line has a gap where a month has no figure, a dot for a figure alone, and n beneath each point', () => {
  const values = months.map((_, at) => (at === 3 || at === 5 ? null : 100 + at));
  const { text = '' } =
    lineChart({ label: 'A & B', months, values, counts: months.map((_, at) => at), formatTick }) ?? {};
  const [, path = ''] = /<path class="line strong" d="([^"]*)"/.exec(text) ?? [];
  assert.equal(count(path, 'M'), 2, 'the month between two gaps is a dot, not a line');
  assert.equal(count(text, '<circle'), 2);
  assert.ok(text.includes('aria-label="A &amp; B"') && text.includes('>23</text>'));
  assert.ok(!/NaN|Infinity|undefined|style=/.test(text));
});

test('the band breaks with its figures; the second series is dashed with squares', () => {
  const values = months.map((_, at) => 100 + at);
  const chart = lineChart({
    label: 'x',
    months,
    values,
    band: values.map((value, at) => (at === 8 ? null : [value - 10, value + 10])),
    second: values.map((value) => value + 3),
    formatTick,
  });
  assert.equal(count(chart?.text ?? '', 'class="band"'), 2);
  assert.equal(count(chart?.text ?? '', 'class="second"'), 1);
  assert.ok(count(chart?.text ?? '', 'class="square"') >= 8);
});

test('without any figure there is no chart', () => {
  const none = months.map(() => null);
  assert.equal(lineChart({ label: 'x', months, values: none, formatTick }), null);
  assert.equal(barChart({ label: 'x', months, up: none, down: none, formatTick }), null);
  assert.equal(histogram({ label: 'x', bins: [], formatTick }), null);
  assert.equal(histogram({ label: 'x', bins: [{ from: 0, to: 1, count: 0 }], formatTick }), null);
  assert.equal(sparkline({ values: [null, 4] }), null);
  assert.equal(stepChart({ label: 'x', from: 0, to: 1, lines: [], formatTick }), null);
});

test('one count goes up and the other down from the base line, whose labels are without a sign', () => {
  const { text = '' } =
    barChart({ label: 'x', months: months.slice(0, 2), up: [10, 20], down: [5, 0], formatTick }) ?? {};
  assert.equal(count(text, 'class="up"'), 2);
  assert.equal(count(text, 'class="down"'), 1);
  const [, base = ''] = /class="base"[^>]* y1="([\d.]+)"/.exec(text) ?? [];
  const [, down = ''] = /class="down"[^>]* y="([\d.]+)"/.exec(text) ?? [];
  assert.equal(down, base);
  assert.ok(!text.includes('$-'));
});

test('a histogram marks the median and the middle half', () => {
  const bins = [0, 1, 2, 3].map((at) => ({ from: at * 100, to: at * 100 + 100, count: at }));
  const chart = histogram({
    label: 'x',
    bins,
    median: 200,
    medianLabel: 'Median $200',
    middle: [100, 300],
    formatTick,
  });
  assert.equal(count(chart?.text ?? '', 'class="bin"'), 3, 'an empty interval has no bar');
  assert.ok(chart?.text.includes('x1="50%"') && chart.text.includes('Median $200'));
  assert.ok(chart?.text.includes('class="middle" x="25%" width="50%"'));
});

test('a step line stays level until it changes, and a null is a gap', () => {
  const chart = stepChart({
    label: 'x',
    from: 0,
    to: 100,
    lines: [
      {
        kind: 'sale',
        points: [
          { at: 0, value: 10 },
          { at: 20, value: 12 },
          { at: 40, value: null },
          { at: 60, value: 11 },
        ],
      },
    ],
    formatTick,
  });
  const [, path = ''] = /<path class="line strong" d="([^"]*)"/.exec(chart?.text ?? '') ?? [];
  assert.match(path, /^M0 [\d.]+H200V[\d.]+H400M600 [\d.]+H1000$/);
  assert.equal(count(chart?.text ?? '', '<circle'), 3);
});

test('a sparkline ends in a dot and breaks at gaps; a bar is as long as its share', () => {
  const { text = '' } = sparkline({ values: [1, 2, null, 2, 3], width: 87, height: 20 }) ?? {};
  assert.equal(count(text, 'M'), 2);
  assert.ok(text.includes('cx="83" cy="4"'));
  assert.ok(cellBar(0.5).text.includes('width="32"') && cellBar(7).text.includes('<rect width="64"'));
});

test('the stylesheet has a rule for every class that a chart uses', () => {
  const values = months.map((_, at) => at + 1);
  const drawn = [
    lineChart({
      label: 'x',
      months,
      values,
      band: values.map((value) => [value - 1, value + 1]),
      second: values,
      counts: values,
      formatTick,
    }),
    barChart({ label: 'x', months, up: values, down: values, formatTick }),
    histogram({
      label: 'x',
      bins: [{ from: 0, to: 1, count: 1 }],
      median: 0.5,
      medianLabel: 'm',
      middle: [0.2, 0.7],
      formatTick,
    }),
    sparkline({ values }),
    cellBar(1),
  ];
  const text = drawn.map((each) => each?.text ?? '').join('');
  const classes = new Set(
    [...text.matchAll(/ class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')),
  );
  // `line` is the plain case of a path.
  classes.delete('line');
  assert.ok(classes.size > 12);
  assert.deepEqual(
    [...classes].filter((name) => !CHART_STYLE.includes(`.${name}`)),
    [],
  );
});
