// Section of the page about a key: what it used in the last 30 days, as charts with their figures.

import { barChart } from '../page/chart/bar-chart.ts';
import { CHART_STYLE } from '../page/chart/chart-style.ts';
import { FORM_STYLE } from '../page/form-style.ts';
import { type Html, html } from '../page/html.ts';
import { sheet } from '../page/style.ts';
import type { AccountUsage, DayOfUse, WayOfUse } from './account-usage.ts';

/** The stylesheet of a page with this section. */
export const USAGE_STYLE = [
  FORM_STYLE,
  CHART_STYLE,
  sheet(`
.use h3{margin:24px 0 8px;font-size:var(--tool)}
.use .key{margin:0 0 8px;font-size:var(--small);color:var(--quiet)}
.use .key span::before{content:"";display:inline-block;width:9px;height:9px;margin-right:6px;border-radius:2px;background:var(--accent)}
.use .key .other{margin-left:16px}
.use .key .other::before{background:var(--sale);opacity:.75}
.use table{width:100%;margin:8px 0 16px;border-collapse:collapse;font-variant-numeric:tabular-nums}
.use th,.use td{padding:7px 0;border-bottom:1px solid var(--line);text-align:right;font-weight:400}
.use th:first-child,.use td:first-child{text-align:left}
.use thead th{color:var(--quiet);font-size:var(--small)}
.use summary{cursor:pointer;color:var(--accent)}
.use .hint{margin:12px 0 24px}
`),
].join('');

/** Null: nobody knows at the moment. */
export function usageSection(usage: AccountUsage | null): Html {
  return html`<section class="use" aria-labelledby="use"><h2 id="use">The last 30 days</h2>${usage === null ? html`<p>What you used cannot be shown at the moment.</p>` : contentOf(usage)}</section>`;
}

function contentOf({ days, ways }: AccountUsage): Html {
  const isUnused = ways.every(({ requests, homes }) => requests === 0 && homes === 0);
  if (isUnused)
    return html`<p>Nothing yet. What your key, your apps and your watchers use appears here within two minutes.</p>`;
  return html`<h3>Requests a day</h3>
<p class="key"><span>answered</span><span class="other">refused or failed</span></p>${requestChart(days)}
<h3>Homes shown a day</h3>${homeChart(days)}
<h3>By way</h3>${wayTable(ways)}
<details><summary>Figures by day</summary>${dayTable(days)}</details>
<p class="hint">Days are in UTC. With your key: <code>GET /v1/usage/history</code>. A home counts in each answer that has it.</p>`;
}

const HEIGHT = 180;

const requestChart = (days: readonly DayOfUse[]): Html | null =>
  barChart({
    label: `Requests a day: ${total(days, 'answered')} answered, ${total(days, 'refused')} refused or failed in 30 days.`,
    months: days.map(({ day }) => day),
    ticks: dayTicks(days),
    up: days.map(({ answered }) => answered),
    down: days.map(({ refused }) => refused),
    formatTick: count,
    height: HEIGHT,
  });

const homeChart = (days: readonly DayOfUse[]): Html | null =>
  barChart({
    label: `Homes shown a day: ${total(days, 'homes')} in 30 days.`,
    months: days.map(({ day }) => day),
    ticks: dayTicks(days),
    up: days.map(({ homes }) => homes),
    down: [],
    formatTick: count,
    height: HEIGHT,
  });

const total = (days: readonly DayOfUse[], of: 'answered' | 'refused' | 'homes'): string =>
  count(days.reduce((sum, day) => sum + day[of], 0));

/** Days between two labels. */
const STEP = 7;

/** A label for today, and for each week before it. */
const dayTicks = (days: readonly DayOfUse[]) =>
  days.flatMap(({ day }, at) => {
    const before = days.length - 1 - at;
    return before % STEP === 0 ? [{ at, label: dayName(day), isMain: before % (2 * STEP) === 0 }] : [];
  });

/** 3 Nov. */
const dayName = (day: string): string =>
  new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const WAYS: Readonly<Record<string, string>> = {
  search: 'Searches and single homes',
  stream: 'Live streams',
  export: 'Exports and changes',
  watchers: 'Watchers and webhooks',
  market: 'Figures of the market',
  explorer: 'The explorer',
  mcp: 'Agents',
  '': 'The rest',
};

function wayTable(ways: readonly WayOfUse[]): Html {
  const rows = ways.map(
    ({ channel, requests, homes }) =>
      html`<tr><th scope="row">${WAYS[channel] ?? channel}</th><td>${count(requests)}</td><td>${count(homes)}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Way</th><th scope="col">Requests</th><th scope="col">Homes shown</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function dayTable(days: readonly DayOfUse[]): Html {
  const rows = days
    .toReversed()
    .map(
      ({ day, answered, refused, homes }) =>
        html`<tr><th scope="row">${dayName(day)}</th><td>${count(answered)}</td><td>${count(refused)}</td><td>${count(homes)}</td></tr>`,
    );
  return html`<table><thead><tr><th scope="col">Day</th><th scope="col">Answered</th><th scope="col">Refused</th><th scope="col">Homes shown</th></tr></thead><tbody>${rows}</tbody></table>`;
}

const count = (value: number): string => value.toLocaleString('en-US');
